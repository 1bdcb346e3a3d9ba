import type { Sighting } from '../wire/transcript.ts'

/** How a case came out. */
export const VERDICTS = ['pass', 'fail', 'warn', 'skip', 'inconclusive', 'error'] as const
export type Verdict = (typeof VERDICTS)[number]

/** One thing that was not as it has to be. */
export interface Finding {
  /** `should`: only a warning. */
  level: 'must' | 'should'
  expected: string
  came: string
  /** How it probably came about. */
  hint?: string
  /** The packets that show it, by their place in the transcript. */
  packets: number[]
}

export interface CaseResult {
  id: string
  area: string
  title: string
  clauses: readonly string[]
  why: string
  verdict: Verdict
  /** For whatever is no plain pass: why, in one sentence. For a pass: what it does not show. */
  note?: string
  findings: Finding[]
  durationMs: number
  /** Whether it was about every packet of the run. */
  always: boolean
  /** The sightings of its time: from, and up to but without. Empty for what holds for the whole run. */
  span: readonly [number, number]
}

/** What the device said of itself, at its first birth. */
export interface DeviceSaid {
  serial: string
  fw: string
  model: string
  caps: readonly string[]
  lang: readonly string[]
  rx: number
}

export interface Report {
  startedAtMs: number
  durationMs: number
  serial: string
  /** Undefined when it was never born. */
  device: DeviceSaid | undefined
  /** Whether it ever connected. */
  connected: boolean
  results: CaseResult[]
  /** Slow cases that were left out. */
  leftOut: string[]
  transcript: readonly Sighting[]
}

export function countVerdicts(results: readonly CaseResult[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    skip: count('skip'),
    inconclusive: count('inconclusive'),
    error: count('error'),
  }
}

/** 0 nothing failed, 1 some did, 3 the kit could not find out. 2 is kept for wrong usage. */
export function exitCodeOf({ connected, results }: Pick<Report, 'connected' | 'results'>): 0 | 1 | 3 {
  const { fail, error } = countVerdicts(results)
  if (fail > 0) return 1
  return error > 0 || !connected ? 3 : 0
}
