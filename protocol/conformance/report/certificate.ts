import type { ClauseEntry, ClauseList } from '../case/clause-list.ts'
import { deviceLacks, type Gap, LEVELS, type Level } from '../case/evidence.ts'
import type { Case } from '../case/schema.ts'
import { type CaseResult, countVerdicts, type Report } from './report.ts'

/**
 * `open`: not checked, or only in part. `declared`, `undeclared`: no kit can check it. `warned`: a SHOULD that the
 * device does not follow. `inapplicable`: it is about something that the device lacks.
 */
export type ClauseStatus =
  | 'checked'
  | 'failed'
  | 'warned'
  | 'open'
  | 'declared'
  | 'undeclared'
  | 'inapplicable'
  | 'hub'

/** What a run says about one clause. */
export interface ClauseRow {
  number: string
  level: ClauseEntry['level']
  status: ClauseStatus
  /** How the cases that decided it watched the device. */
  watched: readonly Level[]
  /** What it takes to check the rest. */
  gaps: readonly Gap[]
  /** The reason of the status, if the gaps do not tell it; what a check does not prove. */
  why?: string
  /** Ids of the cases that cite it and apply. */
  cases: readonly string[]
}

/**
 * `certified`: every MUST that applies to the device is checked and kept, or declared where no kit can check it.
 * `passed`: nothing failed. `undecided`: the device was not there for all cases.
 */
export type Result = 'certified' | 'passed' | 'failed' | 'undecided'

export interface Certificate {
  result: Result
  clauses: readonly ClauseRow[]
  /** What the device has and the cases left out: capabilities, languages, bytes of `rx`, a queue, telemetry. */
  hidden: readonly string[]
}

/** What the judgement needs besides the report: all cases, also those that were not selected, and all clauses. */
export interface Catalogue {
  cases: readonly Case[]
  list: ClauseList
}

/** A clause is done if nothing is missing for a certificate. */
const DONE: readonly ClauseStatus[] = ['checked', 'declared', 'inapplicable']

/** Judges a run by clauses. */
export function certify(report: Report, catalogue: Catalogue): Certificate {
  const clauses = [...catalogue.list].map(([number, entry]) => rowOf(number, entry, report, catalogue))
  const hidden = hiddenIn(report)
  const { fail, error } = countVerdicts(report.results)
  const isWhole = hidden.length === 0 && unfinished(clauses).length === 0
  const result =
    fail > 0 ? 'failed' : error > 0 || !report.connected ? 'undecided' : isWhole ? 'certified' : 'passed'
  return { result, clauses, hidden }
}

/** The MUST clauses that stand between the device and a certificate. */
export function unfinished(clauses: readonly ClauseRow[]): ClauseRow[] {
  return clauses.filter(({ level, status }) => level === 'must' && !DONE.includes(status))
}

/** The MUST clauses that apply to the device. */
export function binding(clauses: readonly ClauseRow[]): ClauseRow[] {
  return clauses.filter(({ level, status }) => level === 'must' && status !== 'inapplicable')
}

/** 0: no case failed. 1: a case failed. 3: the kit could not decide. 4: strict, and not certified. (2: wrong usage.) */
export function exitCodeOf({ result }: Pick<Certificate, 'result'>, strict: boolean): 0 | 1 | 3 | 4 {
  switch (result) {
    case 'certified':
      return 0
    case 'passed':
      return strict ? 4 : 0
    case 'failed':
      return 1
    case 'undecided':
      return 3
  }
}

function rowOf(number: string, entry: ClauseEntry, report: Report, { cases }: Catalogue): ClauseRow {
  const { level, beyond } = entry
  const row = { number, level, watched: [], gaps: [], cases: [] }
  if (level === 'hub') return { ...row, status: 'hub' }
  if (level === 'may') return { ...row, status: 'inapplicable', why: 'whatever the device does is right' }
  const lack = lackOf(entry, report.lacks)
  if (lack !== undefined) return { ...row, status: 'inapplicable', why: lack }
  if (beyond !== undefined) {
    const declared = report.profile.declares[number]
    return { ...row, status: declared === undefined ? 'undeclared' : 'declared', why: declared ?? beyond }
  }
  return { ...row, ...judged(number, level, report, cases) }
}

/** The reason why a clause does not apply to the device. */
function lackOf(entry: ClauseEntry, lacks: Report['lacks']): string | undefined {
  const lack = deviceLacks(entry.for, lacks)
  if (lack) return lacks.get(lack)
  const reasons = entry.either.flatMap((need) => lacks.get(need) ?? [])
  return reasons.length > 0 && reasons.length === entry.either.length ? reasons.join(', ') : undefined
}

/** Judges a clause by its cases. */
function judged(
  number: string,
  level: ClauseEntry['level'],
  report: Report,
  all: readonly Case[],
): Pick<ClauseRow, 'status' | 'watched' | 'gaps' | 'why' | 'cases'> {
  const done = new Map(report.results.map((result) => [result.id, result]))
  const about = all.filter(
    ({ clauses, needs }) => clauses.includes(number) && !deviceLacks(needs, report.lacks),
  )
  const results = about.flatMap(({ id }) => done.get(id) ?? [])
  const gaps = new Set(about.flatMap((one) => gapOf(number, one, done.get(one.id), report) ?? []))
  const decided = results.filter(({ verdict }) => verdict === 'pass' || verdict === 'warn')
  const row = {
    watched: LEVELS.filter((one) => decided.some(({ watched }) => watched.includes(one))),
    gaps: [...gaps],
    cases: about.map(({ id }) => id),
  }
  const failed = results.filter(({ verdict }) => verdict === 'fail')
  if (failed.length > 0) return { ...row, status: 'failed', why: failed.map(({ id }) => id).join(', ') }
  if (gaps.size > 0) return { ...row, status: 'open' }
  if (decided.length === 0) return { ...row, status: 'open', why: undecided(results) }
  const notes = [
    ...new Set(decided.flatMap(({ note, clauses }) => (clauses[0] === number && note ? [note] : []))),
  ]
  const isWarned = level === 'should' && decided.some(({ verdict }) => verdict === 'warn')
  const status = isWarned ? 'warned' : 'checked'
  return { ...row, status, ...(notes.length > 0 ? { why: notes.join('; ') } : {}) }
}

function undecided(results: readonly CaseResult[]): string {
  const skipped = results.filter(({ verdict }) => verdict === 'skip').map(({ id }) => id)
  return skipped.length > 0
    ? `skipped, with the reason above: ${skipped.join(', ')}`
    : 'the kit has no case for such a device'
}

/**
 * A question that nobody answered leaves the first clause of its case open: the others are decided on the wire. A case
 * that the device could not show leaves its first clause open too: the others have cases of their own.
 */
function gapOf(
  number: string,
  { id, clauses }: Case,
  result: CaseResult | undefined,
  { leftOut }: Report,
): Gap | undefined {
  if (!result) return leftOut.includes(id) ? 'slow' : 'only'
  const isInPart = ['pass', 'warn'].includes(result.verdict) || result.open === 'device'
  return isInPart && clauses[0] !== number ? undefined : result.open
}

/** A later birth may name more than the first one, by which the cases were chosen. */
function hiddenIn({ device, profile, transcript }: Report): string[] {
  const births = transcript.filter(({ kind }) => kind === 'birth').map(({ says }) => says)
  const left = (name: 'caps' | 'lang') => {
    const used = profile[name] ?? device?.[name] ?? []
    const born = births.flatMap((says) => (Array.isArray(says[name]) ? says[name].map(String) : []))
    return [...new Set(born)].filter((one) => !used.some((other) => other === one))
  }
  const isSmaller = profile.rx !== undefined && profile.rx < (device?.rx ?? 0)
  const hasQueue = profile.queue === false && tookTwo(transcript)
  const hasTelemetry = profile.telemetry === false && transcript.some(({ kind }) => kind === 'telemetry')
  return [
    ...left('caps'),
    ...left('lang'),
    ...(isSmaller ? ['rx'] : []),
    ...(hasQueue ? ['queue'] : []),
    ...(hasTelemetry ? ['telemetry'] : []),
  ]
}

/** Whether the device has received an announcement while another one was not over. */
function tookTwo(transcript: Report['transcript']): boolean {
  const announced = new Set(
    transcript.flatMap(({ direction, says }) =>
      direction === 'down' && says.t === 'announce' ? [says.id] : [],
    ),
  )
  let sounding: unknown
  for (const { kind, says } of transcript) {
    // A power cut may have ended it.
    if (kind === 'birth') sounding = undefined
    if (kind !== 'ack' || !announced.has(says.id) || says.dup) continue
    if (says.st !== 'received') sounding = sounding === says.id ? undefined : sounding
    else if (sounding === undefined) sounding = says.id
    else return true
  }
  return false
}
