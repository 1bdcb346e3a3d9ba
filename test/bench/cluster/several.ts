import { availableParallelism } from 'node:os'
import { compare, inTurn, type Pair, speedsOf } from '../parts/in-turn.ts'
import { CONNECTIONS, type Load } from '../parts/load/load.ts'
import type { Market } from '../parts/market.ts'
import { openStreet, type Street } from '../parts/street.ts'
import { type Figure, perSecond } from '../parts/table.ts'
import { type Ground, openHubs } from './ground.ts'

const HUBS = 3
/** Three hubs, PostgreSQL, the load generator and the speakers need a core each and more. */
const ENOUGH_CORES = 8

export const SEVERAL = { shops: 300, warmUp: 4_000, round: 3_000, rounds: 5 }

/** Payments of hubs on one database, with the speakers of all shops connected. */
interface Side {
  pay(amount: number): Promise<Load & { cpuEach: number; commitsEach: number }>
  street: Street
}

/**
 * Payments until their `played` is stored, at three hubs with 64 connections each, compared with one hub with 64 on the
 * same server. Most callbacks come to another hub than their speaker's. Callbacks and speakers go to all hubs in turn.
 */
export async function benchSeveral(ground: Ground, work = SEVERAL): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const shops = ground.shops.slice(0, work.shops)
    const openSide = async (hubs: number) => {
      const markets = await openHubs({ ...ground, shops }, await ground.database(), opened, hubs)
      const side = await sideOf(markets)
      opened.defer(side.street.close)
      return side
    }
    const [three, one] = [await openSide(HUBS), await openSide(1)]
    // Each hub compiles its own code.
    await three.pay(HUBS * work.warmUp)
    await one.pay(work.warmUp)
    const pairs = await inTurn(
      work.rounds,
      () => three.pay(work.round),
      () => one.pay(work.round),
    )
    const each = (of: (side: (typeof pairs)[number][number]) => number) =>
      pairs.map(([ours, theirs]): Pair => [of(ours), of(theirs)])
    const peer = 'one hub on the same PostgreSQL'
    const goal = availableParallelism() >= ENOUGH_CORES ? 'at least 2.50' : undefined
    const cpu = each(({ cpuEach }) => cpuEach)
    const commits = each(({ commitsEach }) => commitsEach)
    return [
      ...compare(`payments played and stored, ${HUBS} hubs`, peer, speedsOf(pairs), perSecond, goal),
      ...compare(`CPU of all ${HUBS} hubs for a payment`, peer, cpu, milliseconds2, 'at most 1.30'),
      ...compare('commits for a payment', peer, commits, (value) => value.toFixed(2), 'at most 1.50'),
    ]
  } finally {
    await opened.disposeAsync()
  }
}

async function sideOf(markets: readonly [Market, ...Market[]]): Promise<Side> {
  const [first, ...others] = markets
  const street = await openStreet(first, { others })
  const commitsOf = async () => {
    const counts = await Promise.all(markets.map(({ commits }) => commits()))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  return {
    street,
    async pay(amount) {
      const before = await commitsOf()
      const paid = await street.pay(amount, CONNECTIONS * markets.length)
      const commits = (await commitsOf()) - before
      return { ...paid, cpuEach: (paid.used?.cpuMs ?? Number.NaN) / amount, commitsEach: commits / amount }
    },
  }
}

const milliseconds2 = (value: number) => `${value.toFixed(2)} ms`
