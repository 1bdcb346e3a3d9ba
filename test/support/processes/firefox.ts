import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { temporaryFolder } from '../folder.ts'
import { until } from '../wait.ts'
import { findProgram } from './program.ts'

export const NO_FIREFOX = 'there is no firefox-esr or firefox on PATH'

const PREFERENCES = {
  'intl.accept_languages': 'vi',
  'app.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
}

/**
 * Firefox starts no output on a machine without an audio device, unlike Chromium. Here it seems to run from the first
 * `resume` on, once somebody has touched the page; nothing sounds.
 */
const SILENT_OUTPUT = `() => {
  const running = new WeakSet()
  const { prototype } = BaseAudioContext
  Object.defineProperty(prototype, 'state', { get() { return running.has(this) ? 'running' : 'suspended' } })
  Object.defineProperty(prototype, 'currentTime', { get: () => performance.now() / 1000 })
  AudioContext.prototype.resume = async function () {
    if (navigator.userActivation.hasBeenActive) running.add(this)
  }
}`

/** A page of Firefox, driven by WebDriver BiDi: Playwright drives no Firefox of a distribution. */
export interface FirefoxPage {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** The value of an expression, which is text, a number, a boolean, null or undefined. */
  evaluate(expression: string): Promise<unknown>
  /** Touches the middle of the first element that a selector finds. */
  tap(selector: string): Promise<void>
  setViewport(width: number, height: number): Promise<void>
}

export function findFirefox(): string | undefined {
  return findProgram('firefox-esr', 'firefox')
}

/** Starts Firefox without a window, on a profile of its own. The end of the test kills it. */
export async function startFirefox(program: string): Promise<FirefoxPage> {
  const profile = temporaryFolder()
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), preferences.join('\n'))
  const child = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
    // In a group of its own, so that a kill takes its processes, too.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: { ...process.env, HOME: profile } },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
    await exited
  })
  const address = await until('the address of Firefox', () => {
    if (child.exitCode !== null) throw new Error(`Firefox ended: ${stderr}`)
    return /WebDriver BiDi listening on (\S+)/.exec(stderr)?.[1]
  })
  const send = await connect(`${address}/session`)
  await send('session.new', { capabilities: {} })
  await send('script.addPreloadScript', { functionDeclaration: SILENT_OUTPUT })
  const { contexts } = await send('browsingContext.getTree', {})
  return pageOf(send, String(Object(contexts)[0].context))
}

type Send = (method: string, params: object) => Promise<Record<string, unknown>>

async function connect(url: string): Promise<Send> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  socket.on('message', (data) => {
    const { id, result, error, message } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Error(`${error}: ${message}`))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  let last = 0
  return (method, params) => {
    last += 1
    const answer = Promise.withResolvers<Record<string, unknown>>()
    waiting.set(last, answer)
    socket.send(JSON.stringify({ id: last, method, params }))
    return answer.promise
  }
}

function pageOf(send: Send, context: string): FirefoxPage {
  const evaluate = async (expression: string) => {
    const answer = await send('script.evaluate', { expression, target: { context }, awaitPromise: true })
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer.exceptionDetails))
    return Object(answer.result).value
  }
  return {
    evaluate,
    goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
    setViewport: async (width, height) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    async tap(selector) {
      const middle = `(() => {
        const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
        return [left + width / 2, top + height / 2].map(Math.round).join()
      })()`
      const [x, y] = String(await evaluate(middle))
        .split(',')
        .map(Number)
      await send('input.performActions', {
        context,
        actions: [
          {
            type: 'pointer',
            id: 'finger',
            parameters: { pointerType: 'touch' },
            actions: [
              { type: 'pointerMove', x, y },
              { type: 'pointerDown', button: 0 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
      })
    },
  }
}
