import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './parts/in-turn.ts'
import { load } from './parts/load/load.ts'
import { callbacksTo, openMarket } from './parts/market.ts'
import type { Figure } from './parts/table.ts'

/** Callbacks come for many shops, as a bank sends them. */
const SHOPS = 500
/** Connections at once, with the goal for the share of the echo. */
const CONNECTIONS: [connections: number, goal?: string][] = [
  [1, 'at least 0.30'],
  [8, 'at least 0.35'],
  [64, 'at least 0.40'],
  [128],
]
/** Duration of one round. */
const SECONDS = 2
/** Warm-up: V8 compiles the hot code of both threads before the measurement. */
const WARM_UP_SECONDS = 8
/** The amount of work in `million`, over 64 connections. */
export const CALLBACK_SECONDS = { warmUp: WARM_UP_SECONDS, round: 3 }

/**
 * Callbacks per second, each stored durably before its 200, compared with a bare echo of the same bodies. Also measures
 * the CPU per callback, which is more comparable when the load generator and other programs share the machine.
 */
export async function benchCallbacks(): Promise<Figure[]> {
  const market = await openMarket({ shops: SHOPS })
  try {
    return await withEcho(async (url, pid) => {
      const hub = callbacksTo(market)
      const echo = { ...hub, url, pids: [pid] }
      for (const target of [hub, echo]) await load(target, { duration: WARM_UP_SECONDS })
      const figures: Figure[] = []
      for (const [connections, goal] of CONNECTIONS) {
        const over = `${connections} ${connections === 1 ? 'connection' : 'connections'}`
        figures.push(
          ...(await besideEcho(
            { what: `durable callbacks, ${over}`, cpu: `CPU per durable callback, ${over}`, goal },
            () => load(hub, { duration: SECONDS }, connections),
            () => load(echo, { duration: SECONDS }, connections),
          )),
        )
      }
      return figures
    })
  } finally {
    await market.stop()
  }
}
