import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './parts/in-turn.ts'
import { load, type Target } from './parts/load.ts'
import { type Market, openMarket } from './parts/market.ts'
import type { Figure } from './parts/table.ts'

/** Duration of one round. */
const SECONDS = 3
/** Warm-up: V8 compiles the hot code of both threads before the measurement. */
const WARM_UP_SECONDS = 8
export const CALLBACK_SECONDS = { warmUp: WARM_UP_SECONDS, round: SECONDS }

/**
 * Callbacks per second, each stored durably before its 200, compared with a bare echo of the same bodies. Also measures
 * the CPU per callback, which is more comparable when the load generator and other programs share the machine.
 */
export async function benchCallbacks(): Promise<Figure[]> {
  const market = await openMarket({ shops: 1 })
  try {
    return await withEcho(async (url, pid) => {
      const hub = callbacksTo(market)
      const echo = { ...hub, url, pid }
      for (const target of [hub, echo]) await load(target, { duration: WARM_UP_SECONDS })
      return besideEcho(
        { what: 'durable callbacks', cpu: 'CPU per durable callback', goal: 'at least 0.40' },
        () => load(hub, { duration: SECONDS }),
        () => load(echo, { duration: SECONDS }),
      )
    })
  } finally {
    await market.stop()
  }
}

export function callbackUrl({ http }: Market): string {
  return `${http}/api/v1/partner/payment/callback`
}

/** Callbacks for the shops of a market in turn, each with another amount. */
export function callbacksTo(market: Market): Target {
  const { pid, headers, shops, body } = market
  let count = 0
  return {
    url: callbackUrl(market),
    pid,
    headers,
    body() {
      const shop = shops[count % shops.length]
      if (!shop) throw new Error('a market without shops')
      count += 1
      return body(shop, String(10_000 + count))
    },
  }
}
