import type { Gap, Level } from '../case/evidence.ts'
import type { Profile } from '../case/profile.ts'
import type { Case, Need } from '../case/schema.ts'
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
  /** How the device was watched. Empty if the case was not run. */
  watched: readonly Level[]
  /** What it takes to decide the case, if it applies to the device and is not fully decided. */
  open?: Gap
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
  /** The version of the kit. */
  kit: string
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
  /** How the device could be watched in this run. */
  watched: readonly Level[]
  profile: Profile
  /** What the device or its operator lacks, with the reason. */
  lacks: ReadonlyMap<Need, string>
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
