import { type Lookup, type Mismatch, mismatches } from '../case/matcher.ts'
import type { Case } from '../case/schema.ts'
import { describeEntry, describeKind } from '../report/describe.ts'
import type { CaseResult, Finding } from '../report/report.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { caseFields, notRun } from './run-case.ts'

/** The report shows at most this many findings per rule, and the number of the others. */
const MAX_FINDINGS = 3

const MESSAGES = ['birth', 'ack', 'settings', 'will', 'telemetry', 'publish']
const SEALED = ['birth', 'ack', 'settings']

/**
 * Checks the rules for every packet of the run. One mistake is one failure: a case that shows only mistakes that
 * other cases name is skipped, and names those. `hintedBy` has the case that named a mistake first, by the mistake.
 */
export function judgeInvariants(
  cases: readonly Case[],
  transcript: readonly TranscriptEntry[],
  lookup: Lookup,
  hintedBy: Map<string, string>,
): CaseResult[] {
  const results = cases
    .filter(({ always }) => always)
    .toSorted((one, other) => generality(one) - generality(other))
    .map((one) => judgeInvariant(one, transcript, lookup, hintedBy))
  const byId = new Map(results.map((result) => [result.id, result]))
  return cases.flatMap(({ id }) => byId.get(id) ?? [])
}

/** A case about one fact tells more than one about a whole schema. A warning must not hide a failure. */
function generality({ always }: Case): number {
  if (always?.level === 'should') return 2
  return Object.keys(always?.has ?? {}).some((fact) => /schema$/.test(fact)) ? 1 : 0
}

function judgeInvariant(
  one: Case,
  transcript: readonly TranscriptEntry[],
  lookup: Lookup,
  hintedBy: Map<string, string>,
): CaseResult {
  const { always } = one
  if (!always) return notRun(one, 'error', 'the case has no `always` rule', 'session')
  const relevant = transcript.filter((seen) => isRelevant(seen, always.packet))
  if (relevant.length < always.atLeast) {
    const few = relevant.length === 0 ? 'no' : `only ${relevant.length}`
    return notRun(one, 'skip', `the device sent ${few} ${describeKind(always.packet)}`)
  }
  const broken = relevant.flatMap((seen) => {
    const wrong = [...mismatches(always.has, seen.has, lookup), ...mismatches(always.says, seen.says, lookup)]
    return wrong.length > 0 ? [{ seen, wrong }] : []
  })
  const hints = new Set(broken.map(hintOf))
  const tellers = [...hints].map((hint) => hint && hintedBy.get(hint))
  const [teller] = tellers
  if (teller && !tellers.includes(undefined)) return notRun(one, 'skip', `the same mistake as in ${teller}`)
  for (const hint of hints)
    if (hint !== undefined && always.level === 'must' && !hintedBy.has(hint)) hintedBy.set(hint, one.id)
  const alike = Map.groupBy(broken, ({ wrong }) => wrong.map(({ fact }) => fact).join())
  const findings = [...alike.values()].map((some) => finding(some, relevant.length, always.level))
  const watched = ['wire'] as const
  return { ...caseFields(one), ...verdict(findings, always.level), watched, durationMs: 0, range: [0, 0] }
}

function isRelevant({ direction, kind }: TranscriptEntry, packet: string): boolean {
  if (direction !== 'up') return false
  if (packet === 'any') return true
  if (packet === 'message') return MESSAGES.includes(kind)
  return packet === 'sealed' ? SEALED.includes(kind) : kind === packet
}

/** A packet that violates a rule. */
interface Violation {
  seen: TranscriptEntry
  wrong: readonly Mismatch[]
}

/** Makes one finding of similar violations. It shows the first of them. */
function finding(violations: readonly Violation[], packets: number, level: Finding['level']): Finding {
  const [first] = violations
  const { seen, wrong } = first ?? { wrong: [] }
  const hint = first && hintOf(first)
  const came = `${seen ? describeEntry(seen) : ''} with ${wrong.map(({ came }) => came).join(', ')}`
  return {
    level,
    expected: wrong.map(({ wanted }) => wanted).join(', '),
    came: packets > 1 ? `${came}; in ${violations.length} of ${packets} packets` : came,
    ...(hint === undefined ? {} : { hint }),
    packets: seen ? [seen.seq] : [],
  }
}

function hintOf({ seen, wrong }: Violation): string | undefined {
  return wrong.map(({ fact }) => seen.hints[fact]).find((text) => text !== undefined)
}

function verdict(
  findings: Finding[],
  level: Finding['level'],
): Pick<CaseResult, 'verdict' | 'findings' | 'note'> {
  if (findings.length === 0) return { verdict: 'pass', findings }
  const more = findings.length - MAX_FINDINGS
  return {
    verdict: level === 'must' ? 'fail' : 'warn',
    findings: findings.slice(0, MAX_FINDINGS),
    ...(more > 0 ? { note: `${more} more kinds of violation: see the transcript` } : {}),
  }
}
