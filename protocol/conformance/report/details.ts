import type { TranscriptEntry } from '../wire/transcript.ts'
import { hexDump } from './bytes.ts'
import type { Clauses } from './clauses.ts'
import { describeEntry, describeKind } from './describe.ts'
import { MARKS, type Paint } from './paint.ts'
import type { CaseResult, Finding, Report } from './report.ts'
import { wrap } from './wrap.ts'

/** Maximum lines of traffic per case. Longer traffic is cut in the middle. */
const MAX_TRAFFIC_LINES = 24
/** Packets dumped per case: the sent one and the received one. */
const MAX_DUMPS = 2

/** What the details of a result need. */
export interface ReportContext {
  report: Pick<Report, 'transcript' | 'startedAtMs'>
  clauses: Clauses
  paint: Paint
  /** Packets that were already printed. Each is printed once. */
  printed?: Set<number>
}

/** The details of a case that did not pass: clauses, expected, received, traffic and bytes. */
export function detailsOf(result: CaseResult, context: ReportContext): string[] {
  const { paint, clauses } = context
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
    ...result.findings.flatMap((finding) => ['', ...findingLines(finding, context)]),
    ...(result.note === undefined ? [] : ['', ...wrap('  Note      ', result.note)]),
    ...traffic(result, context),
    ...dumps(result, context),
  ]
}

function findingLines({ level, expected, came, hint }: Finding, { paint }: ReportContext): string[] {
  return [
    ...wrap('  Expected  ', expected),
    ...wrap('  Came      ', came).map((line) => paint(level === 'must' ? 'fail' : 'warn', line)),
    ...(hint === undefined ? [] : wrap('  Likely    ', hint).map((line) => paint('inconclusive', line))),
  ]
}

/** The traffic during the case. */
function traffic({ range: [from, to] }: CaseResult, context: ReportContext): string[] {
  const passed = context.report.transcript.slice(from, to)
  if (passed.length === 0) return []
  const lines = passed.map((seen) => `    ${packetLine(seen, context)}`)
  const cut = lines.length - MAX_TRAFFIC_LINES
  const shown =
    cut > 0
      ? [...lines.slice(0, 12), `    … ${cut} more lines: see the transcript`, ...lines.slice(-12)]
      : lines
  return ['', '  Traffic   → to the device, ← from it; seconds, number in the transcript', ...shown]
}

/** `12.110 → 37  command announce n 43 ttl 120`. */
function packetLine(seen: TranscriptEntry, { report }: ReportContext): string {
  const arrow = { up: '←', down: '→', line: '·' }[seen.direction]
  const at = secondsInto(seen, report)
  const what = wordsFor(seen)
  return `${at} ${arrow} ${String(seen.seq).padStart(4)}  ${what}`
}

function wordsFor(seen: TranscriptEntry): string {
  const words = describeEntry(seen)
  return seen.direction === 'down' && seen.kind === 'command' ? words.replace('command ', '') : words
}

function secondsInto({ atMs }: TranscriptEntry, { startedAtMs }: Pick<Report, 'startedAtMs'>): string {
  return ((atMs - startedAtMs) / 1000).toFixed(3).padStart(8)
}

/** Dumps of the sent and the received packet. */
function dumps({ findings }: CaseResult, context: ReportContext): string[] {
  const { transcript } = context.report
  const numbers = [...new Set(findings.flatMap(({ packets }) => [packets[0], packets.at(-1)]))]
  const packets = numbers.flatMap((seq) => (seq === undefined ? [] : (transcript[seq] ?? [])))
  return packets
    .filter(({ bytes }) => bytes.length > 0)
    .slice(0, MAX_DUMPS)
    .flatMap((seen) => dump(seen, context))
}

function dump(seen: TranscriptEntry, context: ReportContext): string[] {
  const title = `  ${dumpTitle(seen, context)}`
  if (context.printed?.has(seen.seq)) return ['', `${title}, printed above`]
  context.printed?.add(seen.seq)
  return ['', title, ...hexDump(seen.bytes).map((row) => `  ${row}`)]
}

function dumpTitle(seen: TranscriptEntry, { report }: ReportContext): string {
  const way = seen.direction === 'up' ? 'from the device' : 'to the device'
  const at = secondsInto(seen, report).trim()
  return `Packet ${seen.seq} at ${at} s ${way}: ${describeKind(seen.kind)}, ${seen.bytes.length} bytes`
}
