import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './in-turn.ts'
import { type Load, load, type Target } from './load.ts'
import { type Market, openMarket } from './market.ts'
import type { Figure } from './table.ts'

/** Of one round. */
const SECONDS = 3
/** Until V8 has compiled what every request runs, in two threads of the hub: what is measured is a hub at work. */
const WARM_UP_SECONDS = 8

/**
 * Callbacks a second, each stored durably before its 200, beside a bare echo of the same bodies; and what each costs
 * of CPU, which says more where the load and other programs take part of the machine.
 */
export async function benchCallbacks(): Promise<Figure[]> {
  const market = await openMarket({ shops: 1 })
  try {
    return await withEcho(async (url, pid) => {
      const hub = targetOf(market, requests(market))
      const echo = { url, pid, ...requests(market) }
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

/** How fast a hub takes callbacks. */
export async function callbacks(market: Market, asked: Pick<Target, 'headers' | 'body'>): Promise<Load> {
  const target = targetOf(market, asked)
  await load(target, { duration: WARM_UP_SECONDS })
  return load(target, { duration: SECONDS })
}

function targetOf({ http, pid }: Market, asked: Pick<Target, 'headers' | 'body'>): Target {
  return { url: `${http}/api/v1/partner/payment/callback`, pid, ...asked }
}

/** For the first shop, whose speaker is off. */
function requests({ headers, shops, body }: Market): Pick<Target, 'headers' | 'body'> {
  const [shop] = shops
  if (!shop) throw new Error('a market without shops')
  return { headers, body: () => body(shop, '50000') }
}
