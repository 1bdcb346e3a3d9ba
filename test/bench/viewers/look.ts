import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { randomFrom } from '../../support/random.ts'
import { LIVE, PAGES } from './paths.ts'

export interface Looking {
  /** Where the pages are. */
  at: string
  /** One of each person. */
  cookies: readonly string[]
}

export interface Looked {
  /** How many pages were loaded. */
  pages: number
}

/** A person looks at a page for so long on average, then at the next one. */
const READS_MS = 3_000

/** Each person has the Line open, which is live, and turns the pages beside it, at moments of their own. */
const { at, cookies } = workerData as Looking
const over = new AbortController()
let pages = 0

const open = async (path: string, cookie: string) => {
  const answer = await fetch(at + path, { headers: { cookie }, signal: over.signal })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
  return answer
}
const unlessOver = (act: Promise<unknown>) =>
  act.catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })

async function watch(cookie: string) {
  const { body } = await open(LIVE, cookie)
  for await (const _ of body ?? []);
}

async function turn(cookie: string, person: number) {
  const random = randomFrom(person + 1)
  for (let n = person; ; n += 1) {
    await sleep(-Math.log(1 - random()) * READS_MS, undefined, { signal: over.signal })
    await (await open(PAGES[n % PAGES.length] ?? '/', cookie)).text()
    pages += 1
  }
}

for (const [person, cookie] of cookies.entries()) {
  void unlessOver(watch(cookie))
  void unlessOver(turn(cookie, person))
}
parentPort?.postMessage('begun')
parentPort?.once('message', () => {
  over.abort()
  parentPort?.postMessage({ pages } satisfies Looked)
})
