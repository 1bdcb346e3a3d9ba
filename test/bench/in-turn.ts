import type { Load } from './load.ts'
import { type Figure, microseconds, perSecond, ratio, shareOf } from './table.ts'

/** A shared machine is fast in one moment and slow in the next: each is measured this often. */
const ROUNDS = 5

/** One thing's and its floor's, of one round. */
export type Pair<T = number> = readonly [ours: T, floor: T]

/**
 * Measures one thing and its floor in turn, so that what else the machine does meets both; resolves with a pair for
 * each round.
 */
export async function inTurn<T>(
  rounds: number,
  ours: () => Promise<T>,
  floor: () => Promise<T>,
): Promise<Pair<T>[]> {
  const pairs: Pair<T>[] = []
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await floor()])
  return pairs
}

/** Of each the median, and the median of what `compare` makes of neighbours. */
export function medians(
  pairs: readonly Pair[],
  word: (value: number) => string,
  compare = ([ours, floor]: Pair) => ours / floor,
): Pick<Figure, 'value' | 'peerValue' | 'ratio'> {
  const median = (of: (pair: Pair) => number) => shareOf(pairs.map(of), 0.5)
  return {
    value: word(median(([ours]) => ours)),
    peerValue: word(median(([, floor]) => floor)),
    ratio: ratio(median(compare), 1),
  }
}

/** What is measured, and what its CPU is called. */
interface Names {
  what: string
  cpu: string
  goal: string
}

export async function besideEcho(
  names: Names,
  ours: () => Promise<Load>,
  echo: () => Promise<Load>,
): Promise<Figure[]> {
  const pairs = await inTurn(ROUNDS, ours, echo)
  const peer = 'bare Hono echo'
  const costs = costsOf(pairs)
  return [
    { what: names.what, peer, ...medians(speedsOf(pairs), perSecond), goal: names.goal },
    // Where the system does not tell the CPU of a process, there is nothing to show.
    ...(costs ? [{ what: names.cpu, peer, ...medians(costs, microseconds) }] : []),
  ]
}

export function speedsOf(pairs: readonly Pair<Load>[]): Pair[] {
  return pairs.map(([ours, floor]) => [ours.perSecond, floor.perSecond])
}

/** Microseconds of CPU; undefined where the system does not tell it. */
export function costsOf(pairs: readonly Pair<Load>[]): Pair[] | undefined {
  const costs = pairs.map(
    ([ours, floor]): Pair => [ours.cpuPerRequest ?? Number.NaN, floor.cpuPerRequest ?? Number.NaN],
  )
  return costs.flat().some(Number.isNaN) ? undefined : costs
}
