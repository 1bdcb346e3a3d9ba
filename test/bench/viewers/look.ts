import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

export interface Looking {
  admin: string
  /** One of each person. */
  cookies: readonly string[]
}

export interface Looked {
  /** How many pages were loaded. */
  pages: number
}

const PAGES = ['/', '/devices', '/day', '/payments']
/** A person looks at another page this often. */
const TURNS_MS = 1_000

/** Each person has the Line open, which is live, and turns the pages beside it. */
const { admin, cookies } = workerData as Looking
const over = new AbortController()
let pages = 0

const open = async (path: string, cookie: string) => {
  const answer = await fetch(admin + path, { headers: { cookie }, signal: over.signal })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
  return answer
}
const unlessOver = (act: Promise<unknown>) =>
  act.catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })

async function watch(cookie: string) {
  const { body } = await open('/line/live', cookie)
  for await (const _ of body ?? []);
}

async function turn(cookie: string, first: number) {
  for (let n = first; ; n += 1) {
    await (await open(PAGES[n % PAGES.length] ?? '/', cookie)).text()
    pages += 1
    await sleep(TURNS_MS, undefined, { signal: over.signal })
  }
}

for (const [n, cookie] of cookies.entries()) {
  void unlessOver(watch(cookie))
  void unlessOver(turn(cookie, n))
}
parentPort?.postMessage('begun')
parentPort?.once('message', () => {
  over.abort()
  parentPort?.postMessage({ pages } satisfies Looked)
})
