import { WrongUsage } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { canDraw } from '../../screen/terminal.ts'
import { CUT_OFF, printReplay } from './print.ts'
import { readTranscript } from './read.ts'
import { timelineOf } from './timeline.ts'

/** A replay as the command line asks for it. */
export interface ReplayOptions {
  file: string
  headless: boolean
  speed: number
  fromMs: number
  maxIdleMs: number
}

/**
 * Shows a recorded session until somebody quits; without a screen, prints it at once. Throws `CannotStart` when there
 * is nothing to show, and `WrongUsage` for a position after the end.
 */
export async function showTranscript(
  { file, headless, ...options }: ReplayOptions,
  host: Host,
): Promise<void> {
  const { stdout, stderr, stdin, env } = host
  const transcript = readTranscript(file)
  const lengthMs = timelineOf(transcript.moments, options.maxIdleMs).at(-1) ?? 0
  if (options.fromMs > lengthMs)
    throw new WrongUsage(`--from: the replay of ${file} is over after ${inSeconds(lengthMs)}.`)
  const ended = host.ended()
  if (headless || !canDraw(stdout, env.TERM)) {
    printReplay(transcript, options, (text) => stdout.write(text))
    if (!transcript.complete) stderr.write(`${CUT_OFF}\n`)
    return
  }
  const { renderReplay } = await import('./replay-screen.tsx')
  const screen = renderReplay(transcript, options, { stdout, stdin, tmux: env.TMUX })
  await Promise.race([ended, screen.closed])
  await screen.close()
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
