import { CALLBACK_SECONDS } from '../callbacks.ts'
import { PAYMENTS_PLAYED } from '../end-to-end.ts'
import { nameOf, openHubRelay, PACES, SHARES } from '../latency.ts'
import { costsOf, inTurn, type Pair, speedsOf } from '../parts/in-turn.ts'
import { type Load, load } from '../parts/load/load.ts'
import { callbacksTo, type Market, openMarketIn, startHubIn } from '../parts/market.ts'
import { openStreet } from '../parts/street.ts'
import { type Figure, kilobytes, microseconds, milliseconds, perSecond, shareOf } from '../parts/table.ts'
import { CONNECTING, type Connected, connectShops } from '../speakers.ts'
import { startTime } from '../start.ts'
import { type Both, GOAL, grown } from './figures.ts'
import { type Filled, shopsOf } from './seed.ts'

/** The amount of work per measurement, the same as in the other benchmarks. */
export const EFFORT = {
  starts: { rounds: 7 },
  connecting: { ...CONNECTING, rounds: 3 },
  played: { ...PAYMENTS_PLAYED, rounds: 5 },
  latency: { ...PACES, rounds: 5 },
  callbacks: { ...CALLBACK_SECONDS, rounds: 7 },
}
export type Effort = typeof EFFORT

/** From start to ready, after a normal stop. */
export async function benchGrownStart(both: Both, { rounds }: Effort['starts']): Promise<Figure[]> {
  const start = ({ dataDir }: Filled) =>
    startTime(async () => {
      const hub = await startHubIn(dataDir)
      return () => hub.stop()
    })
  const pairs = await inTurn(
    rounds,
    () => start(both.large),
    () => start(both.small),
  )
  return grown(both, 'start to ready', pairs, { word: milliseconds, is: 'cost', goal: GOAL })
}

/** Connects speakers to a hub that has just started, and measures its memory per speaker. */
export async function benchGrownSpeakers(
  both: Both,
  { speakers, settleMs, rounds }: Effort['connecting'],
): Promise<Figure[]> {
  const connect = (filled: Filled) => withMarket(filled, speakers, (market) => connectShops(market, settleMs))
  const pairs = await inTurn(
    rounds,
    () => connect(both.large),
    () => connect(both.small),
  )
  const of = (value: (one: Connected) => number): Pair[] =>
    pairs.map(([many, few]) => [value(many), value(few)])
  const memory = { word: kilobytes, is: 'cost', goal: GOAL } as const
  const eachOf = (what: string) => `${what} for each of ${speakers} idle speakers`
  const speed = of((one) => one.perSecond)
  const cpu = of(({ cpuEach }) => cpuEach ?? Number.NaN)
  return [
    ...grown(both, `speakers connected, to ${speakers}, each welcomed`, speed, {
      ...{ word: perSecond, is: 'speed', goal: GOAL },
    }),
    ...grown(both, 'CPU to connect a speaker', cpu, { word: microseconds, is: 'cost' }),
    ...grown(
      both,
      eachOf('live memory'),
      of(({ live }) => live),
      memory,
    ),
    ...grown(
      both,
      eachOf('resident memory'),
      of(({ resident }) => resident),
      memory,
    ),
  ]
}

/** Measures both open hubs with the shops of their files. */
export async function benchGrownWork(
  both: Both,
  effort: Pick<Effort, 'played' | 'latency' | 'callbacks'>,
): Promise<Figure[]> {
  const { large, small } = both
  return withMarket(large, large.size.devices, (many) =>
    withMarket(small, small.size.devices, async (few) => {
      const withSpeakers = (count: number): Markets => ({
        many: { ...many, shops: shopsOf(large, count) },
        few: { ...few, shops: shopsOf(small, count) },
      })
      return [
        ...(await benchPlayed(both, withSpeakers(effort.played.speakers), effort.played)),
        ...(await benchSockets(both, withSpeakers(effort.latency.speakers), effort.latency)),
        // Runs last: its announcements stay open until they expire, because their speakers are off.
        ...(await benchCallbacksOverAll(both, { many, few }, effort.callbacks)),
      ]
    }),
  )
}

interface Markets {
  /** The figures of the large file. */
  many: Market
  few: Market
}

async function benchPlayed(both: Both, markets: Markets, effort: Effort['played']): Promise<Figure[]> {
  const [many, few] = [await openStreet(markets.many), await openStreet(markets.few)]
  for (const street of [many, few]) await street.pay(effort.warmUp)
  const pairs = await inTurn(
    effort.rounds,
    () => many.pay(effort.round),
    () => few.pay(effort.round),
  )
  for (const street of [many, few]) street.close()
  const what = `callback to stored "played", ${effort.speakers} speakers`
  return loadFigures(both, what, 'CPU per payment played', pairs)
}

/** Latency from a callback to the device's socket. */
async function benchSockets(both: Both, markets: Markets, effort: Effort['latency']): Promise<Figure[]> {
  const { rates, seconds, warmUpSeconds, rounds } = effort
  const [many, few] = [await openHubRelay(markets.many), await openHubRelay(markets.few)]
  for (const relay of [many, few]) await relay.measure(rates.at(-1) ?? 0, warmUpSeconds)
  const figures: Figure[] = []
  for (const rate of rates) {
    const pairs = await inTurn(
      rounds,
      () => many.measure(rate, seconds),
      () => few.measure(rate, seconds),
    )
    for (const share of SHARES) {
      const shares = pairs.map(([much, little]): Pair => [shareOf(much, share), shareOf(little, share)])
      figures.push(
        ...grown(both, nameOf(rate, share), shares, { word: milliseconds, is: 'cost', goal: GOAL }),
      )
    }
  }
  for (const relay of [many, few]) relay.close()
  return figures
}

/** Durable callbacks for shops whose speakers are off. */
async function benchCallbacksOverAll(
  both: Both,
  markets: Markets,
  { warmUp, round, rounds }: Effort['callbacks'],
): Promise<Figure[]> {
  const [many, few] = [callbacksTo(markets.many), callbacksTo(markets.few)]
  for (const target of [many, few]) await load(target, { duration: warmUp })
  const pairs = await inTurn(
    rounds,
    () => load(many, { duration: round }),
    () => load(few, { duration: round }),
  )
  return loadFigures(both, 'durable callbacks over all shops', 'CPU per durable callback', pairs)
}

function loadFigures(both: Both, what: string, cpu: string, pairs: readonly Pair<Load>[]): Figure[] {
  return [
    ...grown(both, what, speedsOf(pairs), { word: perSecond, is: 'speed', goal: GOAL }),
    ...grown(both, cpu, costsOf(pairs), { word: microseconds, is: 'cost', goal: GOAL }),
  ]
}

/** Starts a hub on the file with `count` shops from the whole file. */
async function withMarket<T>(filled: Filled, shops: number, act: (market: Market) => Promise<T>): Promise<T> {
  const market = await openMarketIn(filled.dataDir, filled.partner, shopsOf(filled, shops))
  try {
    return await act(market)
  } finally {
    await market.stop()
  }
}
