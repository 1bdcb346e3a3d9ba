import { withEcho } from './echo/with-echo.ts'
import { compare, type Pair } from './parts/in-turn.ts'
import { loadAtRate } from './parts/load/at-rate.ts'
import { type Market, openMarket } from './parts/market.ts'
import type { Usage } from './parts/process.ts'
import { openStreet, type Street } from './parts/street.ts'
import { type Figure, milliseconds, shareOf } from './parts/table.ts'

/** The number of shops, each with a speaker. */
const SHOPS = 100
/** A sentence of a payment takes longer. It matters that `played` leaves later than `received`. */
export const PLAYS_MS = 300

/** The amount of work. */
export const COST = {
  shops: SHOPS,
  /** Payments per second, and for how many seconds a round measures each rate. */
  rates: [
    { perSecond: 50, seconds: 8 },
    { perSecond: 200, seconds: 5 },
    { perSecond: 500, seconds: 4 },
  ],
  /** Payments of a saturated hub in a round. */
  saturated: 4_000,
  /** Warm-up: V8 compiles the hot code. After 12,000 payments that is still going on. */
  warmUp: 20_000,
  rounds: 3,
}

const GOALS: Readonly<Record<string, string>> = {
  'CPU of a payment at 50/s': 'at most 3.0',
  'CPU of a payment at 200/s': 'at most 2.0',
  'commits of a payment at 500/s': 'at most 0.6 commits',
}

/** What a payment costs the hub. */
interface Cost {
  cpuMs: number
  commits: number
  switches: number
}

/** One round at one rate. */
interface Round {
  cost: Cost
  /** Of the same hub in the same round, saturated. */
  saturated: Cost
  /** Milliseconds of each callback. */
  callbacks: number[]
  echoes: number[]
}

/**
 * What a payment costs one hub at the rates of its users, compared with the same hub saturated: CPU of all threads,
 * commits and context switches. And how long its callback takes, compared with a bare echo at the same rate.
 */
export async function benchCost(work = COST): Promise<Figure[]> {
  const market = await openMarket({ shops: work.shops })
  try {
    const street = await openStreet(market, { playsMs: PLAYS_MS })
    await street.pay(work.warmUp)
    const rounds = await withEcho((url, pid) => measure(market, street, { url, pids: [pid] }, work))
    street.close()
    return [...rounds].flatMap(([perSecond, of]) => figuresAt(perSecond, of))
  } finally {
    await market.stop()
  }
}

async function measure(
  market: Market,
  street: Street,
  echo: Pick<Street['target'], 'url' | 'pids'>,
  { rates, saturated, rounds }: typeof COST,
): Promise<Map<number, Round[]>> {
  const measured = new Map<number, Round[]>(rates.map(({ perSecond }) => [perSecond, []]))
  for (let round = 0; round < rounds; round += 1) {
    const most = await costOf(market, saturated, () => street.pay(saturated))
    for (const { perSecond, seconds } of rates) {
      const amount = Math.ceil(perSecond * seconds)
      const { cost, paid } = await costOf(market, amount, () => street.payAt(perSecond, amount))
      const echoes = await loadAtRate({ ...street.target, ...echo }, perSecond, Math.ceil(amount / 2))
      measured.get(perSecond)?.push({ cost, saturated: most.cost, callbacks: paid.callbacks, echoes })
    }
  }
  return measured
}

async function costOf<T extends { used: Usage | undefined }>(
  market: Market,
  amount: number,
  pay: () => Promise<T>,
): Promise<{ cost: Cost; paid: T }> {
  const before = await market.commits()
  const paid = await pay()
  const commits = (await market.commits()) - before
  const { cpuMs, switches } = paid.used ?? { cpuMs: Number.NaN, switches: Number.NaN }
  return { cost: { cpuMs: cpuMs / amount, commits: commits / amount, switches: switches / amount }, paid }
}

function figuresAt(perSecond: number, rounds: readonly Round[]): Figure[] {
  const costs: [what: string, of: (cost: Cost) => number, word: (value: number) => string][] = [
    ['CPU of a payment', ({ cpuMs }) => cpuMs, (value) => `${value.toFixed(2)} ms`],
    ['commits of a payment', ({ commits }) => commits, (value) => value.toFixed(2)],
    ['context switches of a payment', ({ switches }) => switches, (value) => value.toFixed(1)],
  ]
  const at = (what: string, peer: string, pairs: Pair[], word: (value: number) => string) =>
    compare(`${what} at ${perSecond}/s`, peer, pairs, word, GOALS[`${what} at ${perSecond}/s`])
  return [
    ...costs.flatMap(([what, of, word]) => {
      const pairs = rounds.map(({ cost, saturated }): Pair => [of(cost), of(saturated)])
      return at(what, 'the same hub saturated', pairs, word)
    }),
    ...[0.5, 0.99].flatMap((share) => {
      const pairs = rounds.map(
        ({ callbacks, echoes }): Pair => [shareOf(callbacks, share), shareOf(echoes, share)],
      )
      return at(`callback p${share * 100}`, 'bare Hono echo', pairs, milliseconds)
    }),
  ]
}
