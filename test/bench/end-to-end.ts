import { setTimeout as sleep } from 'node:timers/promises'
import { withEcho } from './echo/with-echo.ts'
import { besideEcho } from './in-turn.ts'
import { load } from './load.ts'
import { openMarket, type Shop } from './market.ts'
import { openPocketSpeaker } from './pocket-speaker.ts'
import { cpuMs } from './process.ts'
import type { Figure } from './table.ts'

const SHOPS = 500
/** Until V8 has compiled what every payment runs. */
const WARM_UP = 12_000
/** Of one round. */
const PAYMENTS = 5_000
/** Of one round of the echo: for about as long. */
const ECHOES = 25_000
/** The speakers of a hub that is slower than this per payment hear the rest too late: it would not be fresh. */
const ALL_PLAYED_WITHIN_MS = 100_000

/**
 * Payments a second over 500 speakers, from the first callback until the hub has stored the last `played`: each is
 * a durable callback, an announcement on the wire and two durable acks.
 */
export async function benchEndToEnd(): Promise<Figure[]> {
  const market = await openMarket({ shops: SHOPS })
  try {
    let stored = 0
    const hooks = {
      stored: () => {
        stored += 1
      },
    }
    const speakers = []
    for (const shop of market.shops) speakers.push(await openPocketSpeaker(shop, market.mqtt, hooks))

    const url = `${market.http}/api/v1/partner/payment/callback`
    const requests = { headers: market.headers, body: bodies(market.shops, market.body) }
    const pay = async (amount: number) => {
      const [cpuBefore, before] = [cpuMs(market.pid), stored]
      const { startedAt } = await load({ url, pid: market.pid, ...requests }, { amount })
      while (stored - before < amount) {
        if (performance.now() - startedAt > ALL_PLAYED_WITHIN_MS)
          throw new Error(`${stored - before} of ${amount} payments were played`)
        await sleep(2)
      }
      return {
        startedAt,
        perSecond: (amount * 1000) / (performance.now() - startedAt),
        cpuPerRequest: ((cpuMs(market.pid) ?? Number.NaN) - (cpuBefore ?? Number.NaN)) * (1000 / amount),
      }
    }
    await pay(WARM_UP)
    const figures = await withEcho(async (echo, pid) => {
      const target = { url: echo, pid, ...requests }
      await load(target, { amount: ECHOES })
      return besideEcho(
        {
          what: `callback to stored "played", ${SHOPS} speakers`,
          cpu: 'CPU per payment played',
          goal: 'at least 0.20',
        },
        () => pay(PAYMENTS),
        () => load(target, { amount: ECHOES }),
      )
    })
    for (const speaker of speakers) speaker.close()
    return figures
  } finally {
    await market.stop()
  }
}

/** One shop after another. */
function bodies(shops: readonly Shop[], body: (shop: Shop, amount: string) => string): () => string {
  let count = 0
  return () => {
    const shop = shops[count % shops.length]
    if (!shop) throw new Error('a market without shops')
    count += 1
    return body(shop, String(10_000 + count))
  }
}
