import type { Clauses } from './clauses.ts'
import type { Sighting } from '../wire/transcript.ts'
import { textOf } from './bytes.ts'
import { countVerdicts, exitCodeOf, type Report } from './report.ts'

/** The report as data: what report.json holds and --json prints. */
export function jsonOf(report: Report, clauses: Clauses) {
  const { startedAtMs, durationMs, serial, device, connected, results, leftOut, transcript } = report
  return {
    protocol: 'sb/1',
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    serial,
    connected,
    device: device ?? null,
    exitCode: exitCodeOf(report),
    counts: countVerdicts(results),
    leftOut,
    cases: results.map(({ span, clauses: numbers, findings, always: _, ...result }) => ({
      ...result,
      clauses: numbers.map((number) => ({ number, text: clauses.get(number) ?? '' })),
      findings: findings.map(({ packets, ...finding }) => ({
        ...finding,
        packets: packets.flatMap((seq) => transcript[seq] ?? []).map((seen) => packetOf(seen, startedAtMs)),
      })),
      packets: { from: span[0], to: span[1] },
    })),
  }
}

/** Every packet both ways as a line of JSON. */
export function transcriptOf({ transcript, startedAtMs }: Report): string {
  return transcript
    .map((seen) => {
      const { link, caseId, has, says } = seen
      return `${JSON.stringify({ ...packetOf(seen, startedAtMs), link, case: caseId ?? null, has, says })}\n`
    })
    .join('')
}

function packetOf({ seq, atMs, direction, kind, bytes }: Sighting, startedAtMs: number) {
  return {
    seq,
    atMs: atMs - startedAtMs,
    direction: { up: 'from device', down: 'to device', line: 'line' }[direction],
    kind,
    hex: bytes.toString('hex'),
    text: textOf(bytes),
  }
}
