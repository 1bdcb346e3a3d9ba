import type { Load } from './load/load.ts'
import { type Figure, microseconds, perSecond, ratio, shareOf } from './table.ts'

/** Rounds. The speed of a shared machine varies, so both are measured this often. */
const ROUNDS = 5

/** The measurements of one round: the subject and its baseline. */
export type Pair<T = number> = readonly [ours: T, floor: T]

/**
 * Measures the subject and its baseline in turn, so that other load on the machine affects both. Resolves with a pair
 * per round.
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

/** The medians, and the median of `ratioOf` over the pairs. */
export function medians(
  pairs: readonly Pair[],
  word: (value: number) => string,
  ratioOf = ([ours, floor]: Pair) => ours / floor,
): Pick<Figure, 'value' | 'peerValue' | 'ratio'> {
  const median = (of: (pair: Pair) => number) => shareOf(pairs.map(of), 0.5)
  return {
    value: word(median(([ours]) => ours)),
    peerValue: word(median(([, floor]) => floor)),
    ratio: ratio(median(ratioOf), 1),
  }
}

/** A figure of such pairs. None if the system does not report a value. */
export function compare(
  what: string,
  peer: string,
  pairs: readonly Pair[],
  word: (value: number) => string,
  goal?: string,
  ratioOf?: (pair: Pair) => number,
): Figure[] {
  if (pairs.flat().some(Number.isNaN)) return []
  return [{ what, peer, ...medians(pairs, word, ratioOf), ...(goal !== undefined && { goal }) }]
}

/** The names of the figure and of its CPU figure. */
interface Names {
  what: string
  cpu: string
  goal?: string | undefined
}

export async function besideEcho(
  names: Names,
  ours: () => Promise<Load>,
  echo: () => Promise<Load>,
): Promise<Figure[]> {
  const pairs = await inTurn(ROUNDS, ours, echo)
  const peer = 'bare Hono echo'
  return [
    ...compare(names.what, peer, speedsOf(pairs), perSecond, names.goal),
    ...compare(names.cpu, peer, costsOf(pairs), microseconds),
  ]
}

export function speedsOf(pairs: readonly Pair<Load>[]): Pair[] {
  return pairs.map(([ours, floor]) => [ours.perSecond, floor.perSecond])
}

/** Microseconds of CPU. NaN if the system does not report it. */
export function costsOf(pairs: readonly Pair<Load>[]): Pair[] {
  return pairs.map(([ours, floor]) => [ours.cpuPerRequest ?? Number.NaN, floor.cpuPerRequest ?? Number.NaN])
}
