import { setTimeout as sleep } from 'node:timers/promises'
import { callbacksTo } from './callbacks.ts'
import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './parts/in-turn.ts'
import type { Line } from './parts/line.ts'
import { type Load, load } from './parts/load.ts'
import { type Market, openMarket } from './parts/market.ts'
import { openPocketSpeaker } from './parts/pocket-speaker.ts'
import { cpuMs } from './parts/process.ts'
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
/** With a slower hub the last announcements would expire before they are sent. */
const ALL_PLAYED_WITHIN_MS = 100_000

/** Payments per second with 500 speakers, compared with a bare echo of the callbacks' bodies. */
export async function benchEndToEnd(): Promise<Figure[]> {
  const market = await openMarket({ shops: SHOPS })
  try {
    const street = await openStreet(market)
    await street.pay(WARM_UP)
    const figures = await withEcho(async (url, pid) => {
      const target = { ...callbacksTo(market), url, pid }
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

/** Shops with connected speakers. */
export interface Street {
  /**
   * Measures payments from the first callback until the hub has stored the last `played`. Each payment is a durable
   * callback, an announcement and two durable acks.
   */
  pay(amount: number): Promise<Load>
  close(): void
}

/** Connects a speaker for each shop of the market. */
export async function openStreet(market: Market): Promise<Street> {
  // Payments are counted by their unique amounts, because a resent announcement is acked again.
  const stored = new Set<string>()
  const hooks = { stored: (amount: string) => void stored.add(amount) }
  const speakers: Line[] = []
  for (const shop of market.shops) speakers.push(await openPocketSpeaker(shop, market.mqtt, hooks))
  const target = callbacksTo(market)
  return {
    async pay(amount) {
      const [cpuBefore, before] = [cpuMs(market.pid), stored.size]
      const { startedAt } = await load(target, { amount })
      while (stored.size - before < amount) {
        if (performance.now() - startedAt > ALL_PLAYED_WITHIN_MS)
          throw new Error(`${stored.size - before} of ${amount} payments were played`)
        await sleep(2)
      }
      return {
        perSecond: (amount * 1000) / (performance.now() - startedAt),
        cpuPerRequest: ((cpuMs(market.pid) ?? Number.NaN) - (cpuBefore ?? Number.NaN)) * (1000 / amount),
      }
    },
    close() {
      for (const speaker of speakers) speaker.close()
    },
  }
}
