import type { TranscriptEntry } from '../wire/transcript.ts'
import { textOf } from './bytes.ts'
import type { Clauses } from './clauses.ts'
import { countVerdicts, exitCodeOf, type Report } from './report.ts'

/** The content of report.json and of --json. */
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
    cases: results.map(({ range, clauses: numbers, findings, always: _, ...result }) => ({
      ...result,
      clauses: numbers.map((number) => ({ number, text: clauses.get(number) ?? '' })),
      findings: findings.map(({ packets, ...finding }) => ({
        ...finding,
        packets: packets.flatMap((seq) => transcript[seq] ?? []).map((seen) => packetOf(seen, startedAtMs)),
      })),
      packets: { from: range[0], to: range[1] },
    })),
  }
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
