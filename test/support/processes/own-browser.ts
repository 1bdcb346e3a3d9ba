import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { OnEnd } from '../folder.ts'
import { until } from '../wait.ts'

/** A Chromium with a profile of its own, which outlives it. */
export interface OwnBrowser {
  context: BrowserContext
  /** Ends it by SIGKILL, as a power cut does. */
  kill(): Promise<void>
}

/** Starts Chromium on a profile's folder. The end of the test kills it. */
export async function startOwnBrowser(
  program: string,
  profile: string,
  { args = [], onEnd = onTestFinished }: { args?: readonly string[]; onEnd?: OnEnd } = {},
): Promise<OwnBrowser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(
    program,
    [
      ...['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--no-first-run'],
      ...[
        '--disable-background-networking',
        '--disable-component-update',
        ...sandbox,
        ...args,
        'about:blank',
      ],
    ],
    // In a group of its own, so that a kill takes its processes, too.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  onEnd(kill)
  const endpoint = await until('the address of the browser', () => {
    if (child.exitCode !== null) throw new Error(`the browser ended: ${stderr}`)
    return /DevTools listening on (\S+)/.exec(stderr)?.[1]
  })
  // Only the end of the test ends a wait.
  const browser = await chromium.connectOverCDP(endpoint, { timeout: 0 })
  const [context] = browser.contexts()
  if (!context) throw new Error('the browser has no profile')
  context.setDefaultTimeout(0)
  return { context, kill }
}
