import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './parts/in-turn.ts'
import { load } from './parts/load/load.ts'
import { openMarket } from './parts/market.ts'
import { openStreet } from './parts/street.ts'
import type { Figure } from './parts/table.ts'

/** The number of shops, each with a speaker. */
const SHOPS = 500
/** Warm-up: V8 compiles the hot code. */
const WARM_UP = 12_000
/** Duration of one round. */
const PAYMENTS = 5_000
export const PAYMENTS_PLAYED = { speakers: SHOPS, warmUp: WARM_UP, round: PAYMENTS }
/** Requests of one round of the echo, which takes about as long. */
const ECHOES = 25_000

/** Payments per second with 500 speakers, compared with a bare echo of the callbacks' bodies. */
export async function benchEndToEnd(): Promise<Figure[]> {
  const market = await openMarket({ shops: SHOPS })
  try {
    const street = await openStreet(market)
    await street.pay(WARM_UP)
    const figures = await withEcho(async (url, pid) => {
      const target = { ...street.target, url, pids: [pid] }
      await load(target, { amount: ECHOES })
      return besideEcho(
        {
          what: `callback to stored "played", ${SHOPS} speakers`,
          cpu: 'CPU per payment played',
          goal: 'at least 0.20',
        },
        () => street.pay(PAYMENTS),
        () => load(target, { amount: ECHOES }),
      )
    })
    street.close()
    return figures
  } finally {
    await market.stop()
  }
}
