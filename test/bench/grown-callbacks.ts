import { callbacks } from './callbacks.ts'
import type { Load } from './load.ts'
import { type Market, openMarketOn } from './market.ts'
import type { Seeded, Size } from './million.ts'
import { type Figure, microseconds, perSecond, ratio } from './table.ts'

/** Each hub in turn; the best round of each counts. */
const ROUNDS = 3
/** Prime, so that all shops come, in no order. */
const STRIDE = 7_919

export interface Filled {
  file: string
  size: Size
  seeded: Seeded
}

/**
 * Durable callbacks over all shops of a hub whose file has a million payments, beside those of one whose file has few.
 * Takes both files over.
 */
export async function benchGrownCallbacks(small: Filled, large: Filled): Promise<Figure[]> {
  const markets: Market[] = []
  try {
    const open = async ({ file, seeded }: Filled) => {
      const market = await openMarketOn(file, seeded)
      markets.push(market)
      return market
    }
    const [few, many] = [callbacksOf(await open(small), small), callbacksOf(await open(large), large)]
    const [fewBest, manyBest]: [Load[], Load[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      fewBest.push(await few())
      manyBest.push(await many())
    }
    return figures(large.size, best(fewBest), best(manyBest))
  } finally {
    for (const market of markets) await market.stop()
  }
}

function callbacksOf(market: Market, { size, seeded }: Filled): () => Promise<Load> {
  let asked = 0
  const body = () => {
    asked += 1
    return market.body({ terminalID: seeded.terminalOf((asked * STRIDE) % size.devices) }, '50000')
  }
  return () => callbacks(market, { headers: market.headers, body })
}

function best(loads: readonly Load[]): { perSecond: number; cpu: number } {
  return {
    perSecond: Math.max(...loads.map((load) => load.perSecond)),
    cpu: Math.min(...loads.map((load) => load.cpuPerRequest ?? Number.NaN)),
  }
}

function figures({ payments }: Size, few: ReturnType<typeof best>, many: ReturnType<typeof best>): Figure[] {
  const withMany = `with ${payments.toLocaleString('en')} payments, over all shops`
  return [
    {
      what: `durable callbacks ${withMany}`,
      value: perSecond(many.perSecond),
      peer: 'with few',
      peerValue: perSecond(few.perSecond),
      ratio: ratio(many.perSecond, few.perSecond),
    },
    {
      what: `CPU per durable callback ${withMany}`,
      value: microseconds(many.cpu),
      peer: 'with few',
      peerValue: microseconds(few.cpu),
      // Of speeds, as for what is counted a second.
      ratio: ratio(few.cpu, many.cpu),
    },
  ]
}
