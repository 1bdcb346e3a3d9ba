import { openHubRelay } from '../latency.ts'
import { compare, inTurn, type Pair } from '../parts/in-turn.ts'
import { load } from '../parts/load/load.ts'
import { callbacksTo } from '../parts/market.ts'
import { type Figure, milliseconds, shareOf } from '../parts/table.ts'
import { type Ground, openHubs } from './ground.ts'

/** The share of the highest rate at which requests do not queue. */
const CARRIED = 0.4

export const LATENCY = { shops: 250, rate: 500, warmUpSeconds: 3, seconds: 4, rounds: 5 }

/**
 * From the callback to the announcement at the speaker's socket, when the callback comes to another hub than the
 * speaker's, compared with its own hub. At 500 a second, or at what this machine carries.
 */
export async function benchClusterLatency(ground: Ground, work = LATENCY): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const hubs = await openHubs(ground, await ground.database(), opened, 2)
    const [own, other = own] = hubs
    // All speakers are at one hub. Half of the callbacks come to the other one.
    const shops = {
      own: ground.shops.slice(0, work.shops),
      other: ground.shops.slice(work.shops, 2 * work.shops),
    }
    const crossed = await openHubRelay({ ...other, shops: shops.other, mqtt: own.mqtt })
    opened.defer(crossed.close)
    const direct = await openHubRelay({ ...own, shops: shops.own })
    opened.defer(direct.close)

    const fastest = await load(callbacksTo({ ...other, shops: shops.other }), {
      duration: work.warmUpSeconds,
    })
    const rate = Math.max(1, Math.min(work.rate, Math.round((fastest.perSecond * CARRIED) / 10) * 10))
    for (const relay of [crossed, direct]) await relay.measure(rate, work.warmUpSeconds)
    const pairs = await inTurn(
      work.rounds,
      () => crossed.measure(rate, work.seconds),
      () => direct.measure(rate, work.seconds),
    )
    return [0.5, 0.99].flatMap((share) => {
      const what = `callback to the socket of a speaker at another hub at ${rate}/s, p${share * 100}`
      const shares = pairs.map(([ours, theirs]): Pair => [shareOf(ours, share), shareOf(theirs, share)])
      return compare(what, 'at the same hub', shares, milliseconds, 'at most 2.50')
    })
  } finally {
    await opened.disposeAsync()
  }
}
