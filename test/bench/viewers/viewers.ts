import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { viewerOf } from '../../server/console/line/viewer.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { PLAYS_MS } from '../cost.ts'
import { compare, inTurn, type Pair } from '../parts/in-turn.ts'
import { MASTER_KEY, type Market, openMarket } from '../parts/market.ts'
import { openStreet } from '../parts/street.ts'
import { type Figure, milliseconds, shareOf } from '../parts/table.ts'
import type { Looked, Looking } from './look.ts'

/** The amount of work. */
export const VIEWERS = {
  /** Each with a speaker. */
  shops: 100,
  people: 10,
  warmUp: 20_000,
  perSecond: 500,
  /** Of a round. */
  seconds: 10,
  rounds: 5,
}
const GOALS: Readonly<Record<number, string>> = { 0.99: 'at most 1.10' }

/** What people who look at the console's pages do to callbacks: compared with the same hub when nobody looks, in turn. */
export async function benchViewers(work = VIEWERS): Promise<Figure[]> {
  const { perSecond, people } = work
  const market = await openMarket({ shops: work.shops })
  try {
    const street = await openStreet(market, { playsMs: PLAYS_MS })
    await street.pay(work.warmUp)
    const cookies = await logIn(market, people)
    const pay = async () => (await street.payAt(perSecond, perSecond * work.seconds)).callbacks
    const pages: number[] = []
    const look = async () => {
      const looking = await startLooking({ admin: market.admin, cookies })
      const callbacks = await pay()
      pages.push((await looking.stop()).pages)
      return callbacks
    }
    // V8 compiles the pages, too.
    await look()
    pages.length = 0
    const rounds = await inTurn(work.rounds, look, pay)
    street.close()
    const what = `with ${people} who look, at ${perSecond}/s`
    return [
      ...[0.5, 0.99].flatMap((share) => {
        const pairs = rounds.map(([seen, alone]): Pair => [shareOf(seen, share), shareOf(alone, share)])
        return compare(`callback p${share * 100} ${what}`, 'nobody looks', pairs, milliseconds, GOALS[share])
      }),
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

async function logIn({ admin, dataDir }: Market, people: number): Promise<string[]> {
  const options = storageOptions({ vault: createVault(MASTER_KEY) })
  const storage = openSqliteStorage(join(dataDir, 'hub.db'), options)
  const cookies: string[] = []
  for (let n = 0; n < people; n += 1) cookies.push((await viewerOf({ admin, storage })).cookie)
  storage.close()
  return cookies
}

/** In a thread of their own: the times of callbacks are taken in this one. */
async function startLooking(looking: Looking) {
  const worker = new Worker(new URL('look.ts', import.meta.url), { workerData: looking })
  await once(worker, 'message')
  return {
    async stop(): Promise<Looked> {
      const looked = once(worker, 'message')
      worker.postMessage('stop')
      const [found] = await looked
      await worker.terminate()
      // The hub sees that the streams are closed.
      await sleep(1_500)
      return found
    },
  }
}
