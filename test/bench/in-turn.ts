import type { Load } from './load.ts'
import { type Figure, microseconds, perSecond, ratio, shareOf } from './table.ts'

/** A shared machine is fast in one moment and slow in the next: each is measured this often. */
const ROUNDS = 5

/** One thing and its floor, measured in turn. */
type Round = readonly [ours: Load, floor: Load]

/** What is measured, and what its CPU is called. */
interface Names {
  what: string
  cpu: string
  goal: string
}

/**
 * Measures one thing and the echo in turn, so that what else the machine does meets both: of each the median, and the
 * median of the ratios of neighbours.
 */
export async function besideEcho(
  names: Names,
  ours: () => Promise<Load>,
  echo: () => Promise<Load>,
): Promise<Figure[]> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push([await ours(), await echo()])
  const peer = 'bare Hono echo'
  const speeds = rounds.map(([one, other]): Pair => [one.perSecond, other.perSecond])
  const costs = rounds.map(
    ([one, other]): Pair => [one.cpuPerRequest ?? Number.NaN, other.cpuPerRequest ?? Number.NaN],
  )
  const figures = [
    { what: names.what, peer, ...inWords(speeds, perSecond), goal: names.goal },
    { what: names.cpu, peer, ...inWords(costs, microseconds) },
  ]
  // Where the system does not tell the CPU of a process, there is nothing to show.
  return costs.flat().some(Number.isNaN) ? figures.slice(0, 1) : figures
}

type Pair = readonly [number, number]

function inWords(pairs: readonly Pair[], word: (value: number) => string) {
  const median = (of: (pair: Pair) => number) => shareOf(pairs.map(of), 0.5)
  return {
    value: word(median(([ours]) => ours)),
    peerValue: word(median(([, floor]) => floor)),
    ratio: ratio(
      median(([ours, floor]) => ours / floor),
      1,
    ),
  }
}
