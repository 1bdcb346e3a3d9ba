import { faulty, runKit } from '../support/run-kit.ts'
import type { Network } from '../support/slow-line.ts'

/** Networks between a right device and the kit. */
export const NETWORKS: readonly (Network & { name: string })[] = [
  { name: 'no delay', eachWayMs: 0 },
  { name: '150 ms each way', eachWayMs: 150 },
  { name: '400 ms each way', eachWayMs: 400 },
  { name: '5 % of segments 1 s later', eachWayMs: 0, lateShare: 0.05, lateMs: 1_000 },
  { name: '50 ms each way, 5 % of segments 1 s later', eachWayMs: 50, lateShare: 0.05, lateMs: 1_000 },
  { name: '400 ms each way, 5 % of segments 1 s later', eachWayMs: 400, lateShare: 0.05, lateMs: 1_000 },
]
/** How fast the speaker speaks. */
export const CLIPS_MS = [100, 220, 450]

/** What some runs over one network came to. */
export interface Outcome {
  runs: number
  /** Runs in which no case failed or warned. */
  passed: number
  /** Runs in which every case could also be decided on the device. */
  decided: number
  meanS: number
  /** The cases that failed or warned. */
  faulty: string[]
}

/** Runs the kit on the simulated speaker so often. Each seed chooses other late segments and other waits of the speaker. */
export async function outcomeOf(network: Network, msPerClip: number, runs: number): Promise<Outcome> {
  const seeds = Array.from({ length: runs }, (_, seed) => seed)
  const reports = await Promise.all(
    seeds.map((seed) => {
      const mutation = { config: { msPerClip }, random: seeded(2 * seed) }
      return runKit({ mutation, over: { ...network, random: seeded(2 * seed + 1) } })
    }),
  )
  const isDecided = (report: (typeof reports)[number]) =>
    report.results.every(({ verdict, open }) => verdict === 'pass' || open === undefined)
  const passed = reports.filter((report) => faulty(report).length === 0)
  return {
    runs,
    passed: passed.length,
    decided: passed.filter(isDecided).length,
    meanS: Math.round(reports.reduce((sum, { durationMs }) => sum + durationMs, 0) / runs / 1_000),
    faulty: [...new Set(reports.flatMap(faulty))],
  }
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
