import type { Case } from '../case/schema.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'

/** The result of a case. */
export const VERDICTS = ['pass', 'fail', 'warn', 'skip', 'inconclusive', 'error'] as const
export type Verdict = (typeof VERDICTS)[number]

/** One violation. */
export interface Finding {
  /** A violation of a `should` is a warning. */
  level: 'must' | 'should'
  expected: string
  came: string
  /** The likely cause. */
  hint?: string
  /** The packets that prove it, as indexes in the transcript. */
  packets: number[]
}

export interface CaseResult {
  id: string
  area: string
  title: string
  clauses: readonly string[]
  why: string
  verdict: Verdict
  /** One sentence: why the case did not pass, or for a pass, what it does not prove. */
  note?: string
  findings: Finding[]
  durationMs: number
  /** Whether the case is a rule for every packet of the run. */
  always: boolean
  /** Its transcript entries: from (inclusive) and to (exclusive). Empty for an `always` case. */
  range: readonly [number, number]
}

/** The device's properties from its first birth. */
export interface DeviceInfo {
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
  /** Undefined if the device sent no birth. */
  device: DeviceInfo | undefined
  /** Whether the device ever connected. */
  connected: boolean
  results: CaseResult[]
  /** Ids of slow cases that were not run. */
  leftOut: string[]
  transcript: readonly TranscriptEntry[]
}

/** Receives the progress of a run. */
export interface RunListener {
  listening(port: number): void
  /** Called after the first birth, or with undefined if the device connected without a birth. */
  connected(device: DeviceInfo | undefined): void
  started(one: Case): void
  ended(result: CaseResult): void
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

/** 0: no case failed. 1: a case failed. 3: the kit could not decide. (2 is for wrong usage.) */
export function exitCodeOf({ connected, results }: Pick<Report, 'connected' | 'results'>): 0 | 1 | 3 {
  const { fail, error } = countVerdicts(results)
  if (fail > 0) return 1
  return error > 0 || !connected ? 3 : 0
}
