import { withEcho } from './echo/with-echo.ts'
import { type Load, load } from './load.ts'
import { type Market, openMarket } from './market.ts'
import { type Figure, microseconds, perSecond, ratio } from './table.ts'

const SECONDS = 5
/** Until V8 has compiled what every request runs, in two threads of the hub: what is measured is a hub at work. */
const WARM_UP_SECONDS = 8

/**
 * Callbacks a second, each stored durably before its 200, beside a bare echo of the same bodies; and what each costs
 * of CPU, which says more where the load and other programs take part of the machine.
 */
export async function benchCallbacks(): Promise<Figure[]> {
  const market = await openMarket({ shops: 1 })
  try {
    const stored = await callbacks(market)
    const echoed = await withEcho((url, pid) => warmed({ url, pid, ...requests(market) }))
    return [
      {
        what: 'durable callbacks',
        value: perSecond(stored.perSecond),
        peer: 'bare Hono echo',
        peerValue: perSecond(echoed.perSecond),
        ratio: ratio(stored.perSecond, echoed.perSecond),
        goal: 'at least 0.40',
      },
      ...cpuFigure(stored.cpuPerRequest, echoed.cpuPerRequest),
    ]
  } finally {
    await market.stop()
  }
}

/** How fast a hub takes callbacks: unless told, for its first shop, whose speaker is off. */
export function callbacks(market: Market, asked = requests(market)): Promise<Load> {
  return warmed({
    url: `${market.http}/api/v1/partner/payment/callback`,
    pid: market.pid,
    ...asked,
  })
}

async function warmed(target: Parameters<typeof load>[0]): Promise<Load> {
  await load(target, { duration: WARM_UP_SECONDS })
  return load(target, { duration: SECONDS })
}

function requests({ headers, shops, body }: Market) {
  const [shop] = shops
  if (!shop) throw new Error('a market without shops')
  return { headers, body: () => body(shop, '50000') }
}

function cpuFigure(stored: number | undefined, echoed: number | undefined): Figure[] {
  if (stored === undefined || echoed === undefined) return []
  return [
    {
      what: 'CPU per durable callback',
      value: microseconds(stored),
      peer: 'bare Hono echo',
      peerValue: microseconds(echoed),
      ratio: ratio(stored, echoed),
    },
  ]
}
