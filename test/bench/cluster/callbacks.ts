import { compare, inTurn, speedsOf } from '../parts/in-turn.ts'
import { load } from '../parts/load/load.ts'
import { callbacksTo, openMarket } from '../parts/market.ts'
import { type Figure, perSecond } from '../parts/table.ts'
import { type Ground, openHubs } from './ground.ts'

export const CALLBACKS = { shops: 500, connections: [8, 64], warmUpSeconds: 4, seconds: 2, rounds: 5 }

/** Durable callbacks of one hub on PostgreSQL, compared with the same hub on SQLite. No speaker is connected. */
export async function benchClusterCallbacks(ground: Ground, work = CALLBACKS): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const shops = ground.shops.slice(0, work.shops)
    const [postgres] = await openHubs({ ...ground, shops }, await ground.database(), opened, 1)
    const sqlite = await openMarket({ shops: work.shops })
    opened.defer(sqlite.stop)
    const targets = [callbacksTo(postgres), callbacksTo(sqlite)] as const
    for (const target of targets) await load(target, { duration: work.warmUpSeconds })
    const figures: Figure[] = []
    for (const connections of work.connections) {
      const [ours, theirs] = targets.map(
        (target) => () => load(target, { duration: work.seconds }, connections),
      )
      if (!ours || !theirs) throw new Error('there are two targets')
      const pairs = await inTurn(work.rounds, ours, theirs)
      const what = `durable callbacks of a hub on PostgreSQL, ${connections} connections`
      figures.push(...compare(what, 'on SQLite', speedsOf(pairs), perSecond, 'at least 0.50'))
    }
    return figures
  } finally {
    await opened.disposeAsync()
  }
}
