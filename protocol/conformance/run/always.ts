import { type Lookup, type Mismatch, mismatches } from '../case/matcher.ts'
import type { Case } from '../case/schema.ts'
import type { CaseResult, Finding } from '../report/report.ts'
import type { Sighting } from '../wire/transcript.ts'
import { about, notRun } from './run-case.ts'
import { kindInWords, sightingInWords } from './words.ts'

/** So many breaches of one rule are shown; the number of the others is told. */
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
    return wrong.length > 0 ? [finding(seen, wrong, always.level)] : []
  })
  return { ...about(one), ...verdict(broken, always.level), durationMs: 0, span: [0, 0] }
}

function isConcerned({ direction, kind }: Sighting, packet: string): boolean {
  if (direction !== 'up') return false
  if (packet === 'any') return true
  if (packet === 'message') return MESSAGES.includes(kind)
  return packet === 'sealed' ? SEALED.includes(kind) : kind === packet
}

function verdict(
  broken: Finding[],
  level: Finding['level'],
): Pick<CaseResult, 'verdict' | 'findings' | 'note'> {
  if (broken.length === 0) return { verdict: 'pass', findings: [] }
  const more = broken.length - MOST_FINDINGS
  return {
    verdict: level === 'must' ? 'fail' : 'warn',
    findings: broken.slice(0, MOST_FINDINGS),
    ...(more > 0 ? { note: `and ${more} packets more like these` } : {}),
  }
}

function finding(seen: Sighting, wrong: readonly Mismatch[], level: Finding['level']): Finding {
  const hint = wrong.map(({ fact }) => seen.hints[fact]).find((text) => text !== undefined)
  return {
    level,
    expected: wrong.map(({ wanted }) => wanted).join(', '),
    came: `${sightingInWords(seen)} with ${wrong.map(({ came }) => came).join(', ')}`,
    ...(hint === undefined ? {} : { hint }),
    packets: [seen.seq],
  }
}
