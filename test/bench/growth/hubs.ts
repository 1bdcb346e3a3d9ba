import { CALLBACK_SECONDS, callbacksTo } from '../callbacks.ts'
import { openStreet, PAYMENTS_PLAYED } from '../end-to-end.ts'
import { costsOf, inTurn, type Pair, speedsOf } from '../in-turn.ts'
import { nameOf, openHubRelay, PACES, SHARES } from '../latency.ts'
import { type Load, load } from '../load.ts'
import { type Market, openMarketIn, startHubIn } from '../market.ts'
import { CONNECTING, type Connected, connectShops } from '../speakers.ts'
import { startTime } from '../start.ts'
import { type Figure, kilobytes, microseconds, milliseconds, perSecond, shareOf } from '../table.ts'
import { type Both, GOAL, grown } from './figures.ts'
import { type Filled, shopsOf } from './seed.ts'

/** How much is measured: of each as much as where it is measured beside its own floor. */
export const EFFORT = {
  starts: { rounds: 7 },
  connecting: { ...CONNECTING, rounds: 3 },
  played: { ...PAYMENTS_PLAYED, rounds: 5 },
  latency: { ...PACES, rounds: 3 },
  callbacks: { ...CALLBACK_SECONDS, rounds: 5 },
}
export type Effort = typeof EFFORT

/** Start to ready, as after a normal end. */
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
  return [grown(both, 'start to ready', pairs, { word: milliseconds, is: 'cost', goal: GOAL })]
}

/** Connecting speakers to a hub that has just started, and what each then holds. */
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
  const [memory, cpu] = [
    { word: kilobytes, is: 'cost', goal: GOAL } as const,
    of(({ cpuEach }) => cpuEach ?? Number.NaN),
  ]
  return [
    grown(
      both,
      `speakers connected, to ${speakers}, each welcomed`,
      of((one) => one.perSecond),
      {
        ...{ word: perSecond, is: 'speed', goal: GOAL },
      },
    ),
    ...(cpu.flat().some(Number.isNaN)
      ? []
      : [grown(both, 'CPU to connect a speaker', cpu, { word: microseconds, is: 'cost' })]),
    grown(
      both,
      `live memory for each of ${speakers} idle speakers`,
      of((one) => one.live),
      memory,
    ),
    grown(
      both,
      `resident memory for each of ${speakers} idle speakers`,
      of((one) => one.resident),
      memory,
    ),
  ]
}

/** From a callback to the stored `played`. */
export async function benchGrownPayments(both: Both, effort: Effort['played']): Promise<Figure[]> {
  const pay = withBoth(both, effort.speakers, async (large, small) => {
    const [many, few] = [await openStreet(large), await openStreet(small)]
    for (const street of [many, few]) await street.pay(effort.warmUp)
    const pairs = await inTurn(
      effort.rounds,
      () => many.pay(effort.round),
      () => few.pay(effort.round),
    )
    for (const street of [many, few]) street.close()
    return pairs
  })
  const what = `callback to stored "played", ${effort.speakers} speakers`
  return loadFigures(both, what, 'CPU per payment played', await pay)
}

/** From a callback to the device's socket. */
export async function benchGrownLatency(both: Both, effort: Effort['latency']): Promise<Figure[]> {
  const { rates, seconds, warmUpSeconds, rounds } = effort
  return withBoth(both, effort.speakers, async (large, small) => {
    const [many, few] = [await openHubRelay(large), await openHubRelay(small)]
    const figures: Figure[] = []
    for (const relay of [many, few]) await relay.measure(rates.at(-1) ?? 0, warmUpSeconds)
    for (const rate of rates) {
      const pairs = await inTurn(
        rounds,
        () => many.measure(rate, seconds),
        () => few.measure(rate, seconds),
      )
      for (const share of SHARES) {
        const shares = pairs.map(([much, little]): Pair => [shareOf(much, share), shareOf(little, share)])
        figures.push(grown(both, nameOf(rate, share), shares, { word: milliseconds, is: 'cost', goal: GOAL }))
      }
    }
    for (const relay of [many, few]) relay.close()
    return figures
  })
}

/** Durable callbacks over all shops, whose speakers are off. */
export async function benchGrownCallbacks(both: Both, effort: Effort['callbacks']): Promise<Figure[]> {
  const pairs = await withBoth(both, 'all', async (large, small) => {
    const [many, few] = [callbacksTo(large), callbacksTo(small)]
    for (const target of [many, few]) await load(target, { duration: effort.warmUp })
    return inTurn(
      effort.rounds,
      () => load(many, { duration: effort.round }),
      () => load(few, { duration: effort.round }),
    )
  })
  return loadFigures(both, 'durable callbacks over all shops', 'CPU per durable callback', pairs)
}

function loadFigures(both: Both, what: string, cpu: string, pairs: readonly Pair<Load>[]): Figure[] {
  const costs = costsOf(pairs)
  return [
    grown(both, what, speedsOf(pairs), { word: perSecond, is: 'speed', goal: GOAL }),
    ...(costs ? [grown(both, cpu, costs, { word: microseconds, is: 'cost', goal: GOAL })] : []),
  ]
}

/** Both hubs at once, each with so many shops from all over its file. */
function withBoth<T>(
  { small, large }: Both,
  shops: number | 'all',
  act: (large: Market, small: Market) => Promise<T>,
): Promise<T> {
  return withMarket(large, shops, (many) => withMarket(small, shops, (few) => act(many, few)))
}

async function withMarket<T>(
  filled: Filled,
  shops: number | 'all',
  act: (market: Market) => Promise<T>,
): Promise<T> {
  const chosen = shopsOf(filled, shops === 'all' ? filled.size.devices : shops)
  const market = await openMarketIn(filled.dataDir, filled.partner, chosen)
  try {
    return await act(market)
  } finally {
    await market.stop()
  }
}
