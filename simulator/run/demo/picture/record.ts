import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Cast, TERMINAL } from './cast.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** The demo's last line: the payment was heard. */
const LAST_LINE = 'Press k for keys and commands'
/** How long the last screen is recorded. */
const LAST_SCREEN_MS = 3_000
/** A demo that takes longer has failed. */
const LONGEST_MS = 120_000

/** Plays the demo in a terminal of a fixed size and returns what it has written. */
export async function recordDemo(environment: NodeJS.ProcessEnv): Promise<Cast> {
  const args = ['--import', fileOf('./stand-in.ts'), fileOf('../../../../bin/demo.js')]
  const demo = spawn(process.execPath, args, {
    env: { ...environment, TERM: 'xterm-256color', FORCE_COLOR: '1', CI: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  })
  const ended = once(demo, 'close')
  const startedAt = performance.now()
  const writes: Cast['writes'] = []
  let seen = ''
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    writes.push({ atS: (performance.now() - startedAt) / 1000, text })
    if (seen.includes(LAST_LINE)) return
    seen += text
    if (seen.includes(LAST_LINE)) setTimeout(() => demo.kill('SIGTERM'), LAST_SCREEN_MS)
  })
  await ended
  if (!seen.includes(LAST_LINE)) throw new Error('The demo ended before its payment was heard.')
  return { width: TERMINAL.width, height: TERMINAL.height, writes }
}
