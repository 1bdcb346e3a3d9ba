import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { viewerOf } from '../../server/console/line/viewer.ts'
import { randomFrom } from '../../support/random.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { PLAYS_MS } from '../cost.ts'
import { compare, type Pair } from '../parts/in-turn.ts'
import { MASTER_KEY, type Market, openMarket } from '../parts/market.ts'
import { firstThreadCpuMs } from '../parts/process.ts'
import { openStreet } from '../parts/street.ts'
import { type Figure, milliseconds, ratio, shareOf } from '../parts/table.ts'
import type { Recorded } from './elsewhere.ts'
import type { Looked, Looking } from './look.ts'
import { LIVE, PAGES } from './paths.ts'

/** The amount of work. */
export const VIEWERS = {
  /** Each with a speaker. */
  shops: 100,
  people: 10,
  warmUp: 20_000,
  perSecond: 500,
  /** Of a round. The first second does not count. */
  seconds: 6,
  /** A multiple of three. */
  rounds: 24,
}
const WHO = ['seen', 'elsewhere', 'unseen'] as const
type Who = (typeof WHO)[number]
/** Milliseconds of callbacks. */
type Round = Record<Who, number[]>
/** Of the bootstrap. */
const RESAMPLES = 200
/** Before a round without people, too: the hub sees within this time that those of the last round are gone. */
const CLOSES_MS = 1_500
const GOALS: Readonly<Record<number, string>> = { 0.99: 'at most 1.10' }

/**
 * What people who look at the console's pages do to callbacks. Compared, in turn, with people who get the same pages from
 * another process of this machine, because in production the browsers are on other machines; and with nobody who looks.
 */
export async function benchViewers(work = VIEWERS): Promise<Figure[]> {
  const { perSecond, people } = work
  const market = await openMarket({ shops: work.shops })
  try {
    const street = await openStreet(market, { playsMs: PLAYS_MS })
    await street.pay(work.warmUp)
    const cookies = await logIn(market, people)
    const elsewhere = await startElsewhere(await record(market.admin, cookies[0] ?? ''))
    async function pay() {
      const before = firstThreadCpuMs(market.pid)
      const { callbacks } = await street.payAt(perSecond, perSecond * work.seconds)
      // In the first second whoever sends collects the memory of the requests that it has made, and is late itself.
      return { callbacks: callbacks.slice(perSecond), cpu: firstThreadCpuMs(market.pid) - before }
    }
    const pages: number[] = []
    const lookAt = async (at: string) => {
      const looking = await startLooking({ at, cookies })
      const paid = await pay()
      pages.push((await looking.stop()).pages)
      return paid
    }
    // V8 compiles the pages, too.
    await lookAt(market.admin)
    pages.length = 0
    const acts = {
      seen: () => lookAt(market.admin),
      elsewhere: () => lookAt(elsewhere.at),
      async unseen() {
        await sleep(CLOSES_MS)
        return pay()
      },
    }
    const rounds: Round[] = []
    const cpu: Record<Who, number[]> = { seen: [], elsewhere: [], unseen: [] }
    for (let n = 0; n < work.rounds; n += 1) {
      const round: Round = { seen: [], elsewhere: [], unseen: [] }
      const first = n % WHO.length
      // Each comes first, second and last equally often, because the hub also works by the clock.
      for (const who of [...WHO.slice(first), ...WHO.slice(0, first)]) {
        const paid = await acts[who]()
        round[who] = paid.callbacks
        cpu[who].push(paid.cpu)
      }
      rounds.push(round)
    }
    street.close()
    elsewhere.stop()
    const what = `with ${people} who look, at ${perSecond}/s`
    const compared = (share: number, peer: string, who: Who, goal?: string) => {
      const name = `callback p${share * 100} ${what}`
      return [
        ...compare(name, peer, [pairOf(rounds, who, share)], milliseconds, goal),
        intervalOf(`95 % interval of the ratio of ${name}`, rounds, who, share),
      ]
    }
    const cpuPairs = cpu.seen.map((seen, round): Pair => [seen, cpu.elsewhere[round] ?? Number.NaN])
    return [
      ...compare(
        `CPU of the hub's thread in ${work.seconds} s ${what}`,
        'they look elsewhere',
        cpuPairs,
        milliseconds,
      ),
      ...[0.5, 0.99].flatMap((share) => [
        ...compared(share, 'they look elsewhere', 'elsewhere', GOALS[share]),
        ...compared(share, 'nobody looks', 'unseen'),
      ]),
      {
        what: `pages of a round ${what}`,
        value: String(shareOf(pages, 0.5)),
        peer: '',
        peerValue: '',
        ratio: '',
      },
    ]
  } finally {
    await market.stop()
  }
}

/** Of all rounds together: a collection of the hub's memory makes the slowest 1 % of one round vary threefold. */
function pairOf(rounds: readonly Round[], who: Who, share: number): Pair {
  const of = (kind: Who) =>
    shareOf(
      rounds.flatMap((round) => round[kind]),
      share,
    )
  return [of('seen'), of(who)]
}

/** The interval of the ratio, by a bootstrap over the rounds. */
function intervalOf(what: string, rounds: readonly Round[], who: Who, share: number): Figure {
  const random = randomFrom(1)
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const resampled = rounds.map(() => rounds[Math.floor(random() * rounds.length)] as Round)
    const [seen, peer] = pairOf(resampled, who, share)
    return seen / peer
  })
  const at = (place: number) => ratio(shareOf(ratios, place), 1)
  return { what, value: at(0.025), peer: 'to', peerValue: at(0.975), ratio: '' }
}

async function logIn({ admin, dataDir }: Market, people: number): Promise<string[]> {
  const options = storageOptions({ vault: createVault(MASTER_KEY) })
  const storage = openSqliteStorage(join(dataDir, 'hub.db'), options)
  const cookies: string[] = []
  for (let n = 0; n < people; n += 1) cookies.push((await viewerOf({ admin, storage })).cookie)
  storage.close()
  return cookies
}

/** The bodies of the pages, and the first message of the live one, which has all of its rows. */
async function record(admin: string, cookie: string): Promise<Recorded> {
  const recorded: Record<string, string> = {}
  for (const path of PAGES) recorded[path] = await (await fetch(admin + path, { headers: { cookie } })).text()
  const { body } = await fetch(admin + LIVE, { headers: { cookie } })
  let live = ''
  for await (const part of body?.pipeThrough(
    new TextDecoderStream() as TransformStream<Uint8Array, string>,
  ) ?? []) {
    live += part
    if (/^data: .*\n\n/m.test(live)) break
  }
  return { ...recorded, [LIVE]: live }
}

async function startElsewhere(recorded: Recorded) {
  const child = fork(fileURLToPath(new URL('elsewhere.ts', import.meta.url)))
  child.send(recorded)
  const [port] = await once(child, 'message')
  return { at: `http://127.0.0.1:${port}`, stop: () => child.disconnect() }
}

/** In a thread of their own: the times of callbacks are taken in this one. */
async function startLooking(looking: Looking) {
  const worker = new Worker(new URL('look.ts', import.meta.url), { workerData: looking })
  const failed = Promise.withResolvers<never>()
  worker.on('error', failed.reject)
  failed.promise.catch(() => undefined)
  await once(worker, 'message')
  return {
    /** Rejects if a page was not answered. */
    async stop(): Promise<Looked> {
      const looked = once(worker, 'message')
      worker.postMessage('stop')
      const [found] = await Promise.race([looked, failed.promise])
      await worker.terminate()
      await sleep(CLOSES_MS)
      return found
    },
  }
}
