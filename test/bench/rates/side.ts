import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Measured } from '../../../server/operate/measured.ts'
import { type Ground, openHubs } from '../cluster/ground.ts'
import { PLAYS_MS } from '../cost.ts'
import { CONNECTIONS } from '../parts/load/load.ts'
import type { Market } from '../parts/market.ts'
import { type Pids, usageOf } from '../parts/process.ts'
import { openStreet } from '../parts/street.ts'
import { shareOf } from '../parts/table.ts'

/** PostgreSQL's processes report their counters a second late at most. */
const COUNTED_MS = 2_000

/** What hubs and PostgreSQL do in a second. */
export type Rate = Measured['rates'][number]

/** What hubs and PostgreSQL have done. In a second, it is a `Rate` without its rate. */
export type Work = Omit<Rate, 'hubs' | 'perSecond'>

/** How payments come. Without `perSecond`: as fast as they are answered over 64 connections for each hub. */
export interface Pace {
  amount: number
  perSecond?: number
  /** Resolves when nothing is left to do for the payments that are played. */
  done?: () => Promise<unknown>
}

/** Hubs on a database of their own, with the speakers of all shops connected. */
export interface Side {
  url: string
  markets: readonly Market[]
  /** All payments so far. */
  paid(): number
  /** Measures a second in which nobody pays. Later measurements need it. */
  rest(seconds: number): Promise<Rate>
  /** Measures a second of payments until they are played, and how many it has. */
  pay(pace: Pace): Promise<Rate>
}

/** The name of a connection that is no hub's. */
export const OURS = 'bench'

/** A connection to a database, beside those of the hubs. The stack ends it. */
export async function connectTo(url: string, opened: AsyncDisposableStack): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: OURS })
  await client.connect()
  opened.defer(() => client.end())
  return client
}

/** The stack ends it. */
export async function openSide(
  ground: Ground,
  opened: AsyncDisposableStack,
  { hubs, shops }: { hubs: number; shops: number },
): Promise<Side> {
  const url = await ground.database()
  const client = await connectTo(url, opened)
  const some = { ...ground, shops: ground.shops.slice(0, shops) }
  const markets = await openHubs(some, url, opened, hubs, { env: { HUB_WEBHOOK_ALLOW: '127.0.0.1' } })
  const [first, ...others] = markets
  const street = await openStreet(first, { others, playsMs: PLAYS_MS })
  opened.defer(street.close)

  async function look(): Promise<{ at: number; work: Work }> {
    await sleep(COUNTED_MS)
    const { rows } = await client.query<{ commits: string; wal: string }>(
      `SELECT xact_commit AS commits, pg_current_wal_lsn() - '0/0'::pg_lsn AS wal
       FROM pg_stat_database WHERE datname = current_database()`,
    )
    const cpu = { hubMs: cpuOf(street.target.pids), postgresMs: cpuOf([ground.pid]) }
    const counts = { commits: Number(rows[0]?.commits), walBytes: Number(rows[0]?.wal) }
    return { at: performance.now(), work: { ...cpu, ...counts } }
  }

  let paid = 0
  let idle: Work = { hubMs: 0, postgresMs: 0, commits: 0, walBytes: 0 }
  return {
    url,
    markets,
    paid: () => paid,
    async rest(seconds) {
      const before = await look()
      await sleep(seconds * 1_000)
      const after = await look()
      idle = over((after.at - before.at) / 1_000, between(before.work, after.work))
      return { hubs, perSecond: 0, ...idle }
    },
    async pay({ amount, perSecond: wanted, done }) {
      const before = await look()
      const { perSecond } =
        wanted === undefined
          ? await street.pay(amount, CONNECTIONS * hubs)
          : { perSecond: wanted, ...(await street.payAt(wanted, amount)) }
      await done?.()
      const after = await look()
      paid += amount
      // Before the first payment and after the last one, hubs do what they do while nobody pays.
      const seconds = amount / perSecond
      const restSeconds = (after.at - before.at) / 1_000 - seconds
      const rested = over(1 / restSeconds, idle)
      return { hubs, perSecond, ...over(seconds, between(rested, between(before.work, after.work))) }
    },
  }
}

const cpuOf = (pids: Pids) => usageOf(pids)?.cpuMs ?? Number.NaN

const workOf = (of: (kind: keyof Work) => number): Work => ({
  hubMs: of('hubMs'),
  postgresMs: of('postgresMs'),
  commits: of('commits'),
  walBytes: of('walBytes'),
})

const between = (before: Work, after: Work) => workOf((kind) => after[kind] - before[kind])

/** What one of so many seconds has of it. */
const over = (seconds: number, work: Work) => workOf((kind) => work[kind] / seconds)

/** Of each figure the median. */
export function medianOf(rounds: readonly Rate[]): Rate {
  const of = (kind: keyof Rate) =>
    shareOf(
      rounds.map((round) => round[kind]),
      0.5,
    )
  return { hubs: of('hubs'), perSecond: of('perSecond'), ...workOf(of) }
}
