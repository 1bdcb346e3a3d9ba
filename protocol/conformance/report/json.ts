import { SPEC_VERSION } from '../../version.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { textOf } from './bytes.ts'
import { type Certificate, exitCodeOf } from './certificate.ts'
import type { Clauses } from './clauses.ts'
import { tell } from './matrix.ts'
import { countVerdicts, type Report } from './report.ts'

/** What report.json needs besides the report. */
export interface JsonContext {
  clauses: Clauses
  certificate: Certificate
  strict: boolean
}

/** The content of report.json and of --json. */
export function jsonOf(report: Report, { clauses, certificate, strict }: JsonContext) {
  const { startedAtMs, durationMs, serial, device, connected, results, leftOut, transcript } = report
  return {
    protocol: 'sb/1',
    specification: SPEC_VERSION,
    kit: report.kit,
    result: certificate.result,
    watched: report.watched,
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    serial,
    connected,
    device: device ?? null,
    exitCode: exitCodeOf(certificate, strict),
    profile: propertiesOf(report),
    hidden: certificate.hidden,
    counts: countVerdicts(results),
    leftOut,
    cases: results.map(({ range, clauses: numbers, findings, always: _, ...result }) => ({
      ...result,
      clauses: numbers.map((number) => ({ number, text: clauses.get(number) ?? '' })),
      findings: findings.map(({ packets, ...finding }) => ({
        ...finding,
        packets: packets.flatMap((seq) => transcript[seq] ?? []).map((seen) => packetOf(seen, startedAtMs)),
      })),
      packets: { from: range[0], to: range[1] },
    })),
    clauses: certificate.clauses.map((row) => ({
      ...row,
      why: tell(row),
      text: clauses.get(row.number) ?? '',
    })),
  }
}

/** The profile without the commands of the test rig: a report leaves the house. */
function propertiesOf({ profile: { caps, lang, rx, queue, telemetry, clock, declares, timings } }: Report) {
  return { caps, lang, rx, queue, telemetry, clock, declares, timings }
}

/** All packets in both directions, one JSON object per line. */
export function transcriptOf({ transcript, startedAtMs }: Report): string {
  return transcript
    .map((seen) => {
      const { link, caseId, has, says } = seen
      return `${JSON.stringify({ ...packetOf(seen, startedAtMs), link, case: caseId ?? null, has, says })}\n`
    })
    .join('')
}

function packetOf({ seq, atMs, direction, kind, bytes }: TranscriptEntry, startedAtMs: number) {
  return {
    seq,
    atMs: atMs - startedAtMs,
    direction: { up: 'from device', down: 'to device', line: 'line' }[direction],
    kind,
    hex: bytes.toString('hex'),
    text: textOf(bytes),
  }
}
