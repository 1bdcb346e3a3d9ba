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

/** Checks a rule on every packet of the run. */
export function judgeInvariant(
  one: Case,
  transcript: readonly TranscriptEntry[],
  lookup: Lookup,
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
  const { seen, wrong } = violations[0] ?? { wrong: [] }
  const hint = wrong.map(({ fact }) => seen?.hints[fact]).find((text) => text !== undefined)
  const came = `${seen ? describeEntry(seen) : ''} with ${wrong.map(({ came }) => came).join(', ')}`
  return {
    level,
    expected: wrong.map(({ wanted }) => wanted).join(', '),
    came: packets > 1 ? `${came}; in ${violations.length} of ${packets} packets` : came,
    ...(hint === undefined ? {} : { hint }),
    packets: seen ? [seen.seq] : [],
  }
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
