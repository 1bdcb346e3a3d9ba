import type { Clauses } from './clauses.ts'
import { kindInWords, sightingInWords } from './describe.ts'
import type { Sighting } from '../wire/transcript.ts'
import { hexDump } from './bytes.ts'
import { MARKS, type Paint } from './paint.ts'
import type { CaseResult, Finding, Report } from './report.ts'
import { wrap } from './wrap.ts'

/** Lines of a case's story; a storm of packets is cut in its middle. */
const LONGEST_STORY = 24
/** Packets of a finding whose bytes are shown: what was sent, and what came. */
const MOST_DUMPS = 2

/** What a result needs to be told in full. */
export interface Telling {
  report: Pick<Report, 'transcript' | 'startedAtMs'>
  clauses: Clauses
  paint: Paint
  /** Packets whose bytes were printed already: one look is enough. */
  printed?: Set<number>
}

/** All there is to say about a case that did not simply pass: the clause, what was expected, what came, the bytes. */
export function detailsOf(result: CaseResult, telling: Telling): string[] {
  const { paint, clauses } = telling
  const { verdict } = result
  return [
    paint(verdict, `${MARKS[verdict]} ${result.id}`),
    ...wrap('  ', result.title).map((line) => paint('heading', line)),
    '',
    ...result.clauses.flatMap((number) =>
      wrap(`  ${number.padEnd(6)}`, clauses.get(number) ?? '').map((line) => paint('clause', line)),
    ),
    '',
    ...wrap('  Why       ', result.why),
    ...result.findings.flatMap((finding) => ['', ...findingLines(finding, telling)]),
    ...(result.note === undefined ? [] : ['', ...wrap('  Note      ', result.note)]),
    ...story(result, telling),
    ...dumps(result, telling),
  ]
}

function findingLines({ level, expected, came, hint }: Finding, { paint }: Telling): string[] {
  return [
    ...wrap('  Expected  ', expected),
    ...wrap('  Came      ', came).map((line) => paint(level === 'must' ? 'fail' : 'warn', line)),
    ...(hint === undefined ? [] : wrap('  Likely    ', hint).map((line) => paint('inconclusive', line))),
  ]
}

/** What passed on the line while the case ran. */
function story({ span: [from, to] }: CaseResult, telling: Telling): string[] {
  const passed = telling.report.transcript.slice(from, to)
  if (passed.length === 0) return []
  const lines = passed.map((seen) => `    ${packetLine(seen, telling)}`)
  const cut = lines.length - LONGEST_STORY
  const shown =
    cut > 0
      ? [...lines.slice(0, 12), `    … ${cut} lines more: see the transcript`, ...lines.slice(-12)]
      : lines
  return ['', '  Line      → to it, ← from it; seconds of the run, number in the transcript', ...shown]
}

/** `12.110 → 37  command announce n 43 ttl 120`. */
function packetLine(seen: Sighting, { report }: Telling): string {
  const arrow = { up: '←', down: '→', line: '·' }[seen.direction]
  const at = secondsInto(seen, report)
  const what = wordsFor(seen)
  return `${at} ${arrow} ${String(seen.seq).padStart(4)}  ${what}`
}

function wordsFor(seen: Sighting): string {
  const words = sightingInWords(seen)
  return seen.direction === 'down' && seen.kind === 'command' ? words.replace('command ', '') : words
}

function secondsInto({ atMs }: Sighting, { startedAtMs }: Pick<Report, 'startedAtMs'>): string {
  return ((atMs - startedAtMs) / 1000).toFixed(3).padStart(8)
}

/** The bytes of what was sent and of what came. */
function dumps({ findings }: CaseResult, telling: Telling): string[] {
  const { transcript } = telling.report
  const numbers = [...new Set(findings.flatMap(({ packets }) => [packets[0], packets.at(-1)]))]
  const packets = numbers.flatMap((seq) => (seq === undefined ? [] : (transcript[seq] ?? [])))
  return packets
    .filter(({ bytes }) => bytes.length > 0)
    .slice(0, MOST_DUMPS)
    .flatMap((seen) => dump(seen, telling))
}

function dump(seen: Sighting, telling: Telling): string[] {
  const title = `  ${dumpTitle(seen, telling)}`
  if (telling.printed?.has(seen.seq)) return ['', `${title}, printed above`]
  telling.printed?.add(seen.seq)
  return ['', title, ...hexDump(seen.bytes).map((row) => `  ${row}`)]
}

function dumpTitle(seen: Sighting, { report }: Telling): string {
  const way = seen.direction === 'up' ? 'from the device' : 'to the device'
  const at = secondsInto(seen, report).trim()
  return `Packet ${seen.seq} at ${at} s ${way}: ${kindInWords(seen.kind)}, ${seen.bytes.length} bytes`
}
