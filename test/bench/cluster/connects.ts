import { compare, inTurn, type Pair } from '../parts/in-turn.ts'
import { openMarket } from '../parts/market.ts'
import { type Figure, microseconds, perSecond } from '../parts/table.ts'
import { connectShops } from '../speakers.ts'
import { type Ground, openHubs } from './ground.ts'

export const CONNECTS = { speakers: 2_000, settleMs: 500, rounds: 3 }

/** How fast speakers connect to a hub on PostgreSQL until each is welcomed, compared with the same hub on SQLite. */
export async function benchConnects(ground: Ground, work = CONNECTS): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const shops = ground.shops.slice(0, work.speakers)
    const [postgres] = await openHubs({ ...ground, shops }, await ground.database(), opened, 1)
    const sqlite = await openMarket({ shops: work.speakers })
    opened.defer(sqlite.stop)
    const connect = [postgres, sqlite].map((market) => () => connectShops(market, work.settleMs))
    const [ours, theirs] = connect
    if (!ours || !theirs) throw new Error('there are two hubs')
    // The first round warms up.
    const [, ...pairs] = await inTurn(work.rounds + 1, ours, theirs)
    const speeds = pairs.map(([mine, other]): Pair => [mine.perSecond, other.perSecond])
    const costs = pairs.map(
      ([mine, other]): Pair => [mine.cpuEach ?? Number.NaN, other.cpuEach ?? Number.NaN],
    )
    const peer = 'on SQLite'
    const what = `speakers connected to a hub on PostgreSQL, to ${work.speakers}, each welcomed`
    return [
      ...compare(what, peer, speeds, perSecond, 'at least 0.50'),
      ...compare('CPU of the hub to connect one of them', peer, costs, microseconds),
    ]
  } finally {
    await opened.disposeAsync()
  }
}
