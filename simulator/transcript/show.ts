import type { ReplayOptions } from '../cli/replay.ts'
import type { Host } from '../host.ts'
import { canDraw } from '../ui/terminal.ts'
import { CUT_OFF, printReplay } from './print.ts'
import { readTranscript } from './read.ts'

/**
 * Shows a recorded session again, until a person has seen enough of it; without a screen, all at once. Throws
 * `CannotStart` when there is nothing to be shown.
 */
export async function showTranscript(
  { file, headless, ...options }: ReplayOptions,
  host: Host,
): Promise<void> {
  const { stdout, stderr, stdin, env } = host
  const transcript = readTranscript(file)
  const ended = host.ended()
  if (headless || !canDraw(stdout, env.TERM)) {
    printReplay(transcript, options, (text) => stdout.write(text))
    if (!transcript.complete) stderr.write(`${CUT_OFF}\n`)
    return
  }
  const { renderReplay } = await import('./screen.tsx')
  const screen = renderReplay(transcript, options, { stdout, stdin })
  await Promise.race([ended, screen.closed])
  await screen.close()
}
