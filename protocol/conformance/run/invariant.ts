import { type Lookup, type Mismatch, mismatches } from '../case/matcher.ts'
import type { Case } from '../case/schema.ts'
import type { CaseResult, Finding } from '../report/report.ts'
import type { Sighting } from '../wire/transcript.ts'
import { about, notRun } from './run-case.ts'
import { kindInWords, sightingInWords } from '../report/describe.ts'

/** So many ways to break one rule are shown; the number of the others is told. */
const MOST_FINDINGS = 3

const MESSAGES = ['birth', 'ack', 'settings', 'will', 'telemetry', 'publish']
const SEALED = ['birth', 'ack', 'settings']

/** Judges what has to hold for every packet of the run. */
export function judgeAlways(one: Case, transcript: readonly Sighting[], lookup: Lookup): CaseResult {
  const { always } = one
  if (!always) return notRun(one, 'error', 'it has no rule that holds always')
  const concerned = transcript.filter((seen) => isConcerned(seen, always.packet))
  if (concerned.length < always.atLeast) {
    const few = concerned.length === 0 ? 'no' : `only ${concerned.length}`
    return notRun(one, 'skip', `it sent ${few} ${kindInWords(always.packet)}`)
  }
  const broken = concerned.flatMap((seen) => {
    const wrong = [...mismatches(always.has, seen.has, lookup), ...mismatches(always.says, seen.says, lookup)]
    return wrong.length > 0 ? [{ seen, wrong }] : []
  })
  const alike = Map.groupBy(broken, ({ wrong }) => wrong.map(({ fact }) => fact).join())
  const findings = [...alike.values()].map((some) => finding(some, concerned.length, always.level))
  return { ...about(one), ...verdict(findings, always.level), durationMs: 0, span: [0, 0] }
}

function isConcerned({ direction, kind }: Sighting, packet: string): boolean {
  if (direction !== 'up') return false
  if (packet === 'any') return true
  if (packet === 'message') return MESSAGES.includes(kind)
  return packet === 'sealed' ? SEALED.includes(kind) : kind === packet
}

/** A packet that breaks a rule, and how. */
interface Breach {
  seen: Sighting
  wrong: readonly Mismatch[]
}

/** Breaches that are alike are told once, by the first of them. */
function finding(breaches: readonly Breach[], packets: number, level: Finding['level']): Finding {
  const { seen, wrong } = breaches[0] ?? { wrong: [] }
  const hint = wrong.map(({ fact }) => seen?.hints[fact]).find((text) => text !== undefined)
  const came = `${seen ? sightingInWords(seen) : ''} with ${wrong.map(({ came }) => came).join(', ')}`
  return {
    level,
    expected: wrong.map(({ wanted }) => wanted).join(', '),
    came: packets > 1 ? `${came}; so in ${breaches.length} of ${packets} packets` : came,
    ...(hint === undefined ? {} : { hint }),
    packets: seen ? [seen.seq] : [],
  }
}

function verdict(
  findings: Finding[],
  level: Finding['level'],
): Pick<CaseResult, 'verdict' | 'findings' | 'note'> {
  if (findings.length === 0) return { verdict: 'pass', findings }
  const more = findings.length - MOST_FINDINGS
  return {
    verdict: level === 'must' ? 'fail' : 'warn',
    findings: findings.slice(0, MOST_FINDINGS),
    ...(more > 0 ? { note: `and in ${more} ways more: see the transcript` } : {}),
  }
}
