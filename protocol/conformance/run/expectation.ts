import type { ExpectStep, ForbidStep } from '../case/schema.ts'
import type { Finding } from '../report/report.ts'
import type { Sighting } from '../wire/transcript.ts'
import type { CaseRun } from './case-run.ts'
import { seconds, sightingInWords, soughtInWords } from '../report/describe.ts'

/** Stages after which nothing more comes of a command. */
const LAST_STAGES: readonly unknown[] = ['shown', 'played', 'failed']
/** Kinds that only a session can bring: with its end the waiting is over. */
const IN_SESSION = ['ack', 'settings', 'puback', 'telemetry']
/** So many packets tell a story; the transcript has the rest. */
const MOST_PACKETS = 6

/** Waits for a packet. Gives up early at what makes it impossible: another last stage, the end of the line. */
export async function expectPacket(run: CaseRun, step: ExpectStep): Promise<Finding | undefined> {
  const { transcript, session } = run.bench.standIn
  const { expect: kind, of, after } = step
  const from = run.from({ kind, of, after })
  const link = session?.link.number
  const isWanted = (seen: Sighting) => run.isSubject(seen, kind, of) && run.fits(seen, step)
  const isHopeless = (seen: Sighting) =>
    (kind === 'ack' &&
      of !== undefined &&
      run.isSubject(seen, kind, of) &&
      LAST_STAGES.includes(seen.says.st) &&
      !run.fits(seen, { says: stageOf(step), has: {} })) ||
    (IN_SESSION.includes(kind) && seen.link === link && seen.kind === 'closed' && seen.has.by === 'device')
  const ms = run.ms(step.within)
  const found = await transcript.until(from, ms, (seen) => isWanted(seen) || isHopeless(seen))
  if (found && isWanted(found)) {
    run.consume(kind, of, found)
    return undefined
  }
  const limit = found ? '' : ` within ${seconds(ms)}`
  return { ...describe(run, step, kind, from), expected: `${soughtInWords(kind, step, run.lookup)}${limit}` }
}

/** Of what is expected the stage alone: another last stage rules it out, while a repeat may still come. */
function stageOf({ says: { st } }: ExpectStep): ExpectStep['says'] {
  return st === undefined ? {} : { st }
}

/** Watches for a span; resolves with a finding as soon as what is forbidden has come. */
export async function forbidPacket(
  run: CaseRun,
  step: ForbidStep,
  { from, ms }: { from: number; ms: number },
): Promise<Finding | undefined> {
  const { transcript } = run.bench.standIn
  const isForbidden = forbidden(run, step)
  const tooMany = (seen: Sighting) => countUpTo(run, isForbidden, from, seen.seq) > step.moreThan
  const found = await transcript.until(from, ms, (seen) => isForbidden(seen) && tooMany(seen))
  if (!found) return undefined
  const seen = transcript.all.slice(from, found.seq + 1).filter(isForbidden)
  const what = soughtInWords(step.forbid, step, run.lookup)
  return {
    level: step.level,
    expected:
      step.moreThan > 0 ? `${what}, no more than ${step.moreThan} times in ${seconds(ms)}` : `no ${what}`,
    came: step.moreThan > 0 ? timesInWords(run, seen, from) : inWords(run, seen, from),
    packets: [...cause(run, step.of), ...latest(seen)],
    ...hintOf(seen),
  }
}

/** Whether a sighting is one that a ban is about. */
function forbidden(run: CaseRun, step: ForbidStep): (seen: Sighting) => boolean {
  const { forbid: kind, of, except } = step
  return (seen) =>
    run.isSubject(seen, kind, of) &&
    run.fits(seen, step) &&
    !(except && run.fits(seen, { says: except, has: {} }))
}

function countUpTo(run: CaseRun, fits: (seen: Sighting) => boolean, from: number, to: number): number {
  return run.bench.standIn.transcript.all.slice(from, to + 1).filter(fits).length
}

function timesInWords(run: CaseRun, seen: readonly Sighting[], from: number): string {
  const startMs = run.bench.standIn.transcript.all[from]?.atMs ?? 0
  return `${seen.length} times within ${seconds((seen.at(-1)?.atMs ?? startMs) - startMs)}`
}

/** What came instead of what was expected. */
function describe(run: CaseRun, step: ExpectStep, kind: string, from: number): Omit<Finding, 'expected'> {
  const { all } = run.bench.standIn.transcript
  const since = all.slice(from)
  const same = since.filter((seen) => run.isSubject(seen, kind, step.of))
  const ends = since.filter((seen) => seen.kind === 'closed' && seen.has.by === 'device')
  const earlier = same.length > 0 ? [] : before(run, step, kind, from)
  const told = [...same, ...ends].sort((a, b) => a.seq - b.seq)
  const came = told.length > 0 ? inWords(run, told, from) : 'nothing of the kind'
  return {
    level: step.level,
    came: earlier.length > 0 ? `${came}; before it: ${inWords(run, earlier, from)}` : came,
    packets: [...cause(run, step.of), ...latest([...earlier, ...told])],
    ...hintOf(told),
  }
}

/** What was expected may have come too early: before what was expected first. */
function before(run: CaseRun, step: ExpectStep, kind: string, from: number): Sighting[] {
  if (step.of === undefined) return []
  const { all } = run.bench.standIn.transcript
  return all.slice(run.command(step.of).from, from).filter((seen) => run.isSubject(seen, kind, step.of))
}

/** The command that all of it is about, as it was last sent. */
function cause(run: CaseRun, of: string | undefined): number[] {
  if (of === undefined) return []
  const { id, from } = run.command(of)
  const sent = run.bench.standIn.transcript.all
    .slice(from)
    .find((seen) => seen.direction === 'down' && seen.says.id === id)
  return sent ? [sent.seq] : []
}

function latest(seen: readonly Sighting[]): number[] {
  return seen.slice(-MOST_PACKETS).map(({ seq }) => seq)
}

function inWords(run: CaseRun, seen: readonly Sighting[], from: number): string {
  const startMs = run.bench.standIn.transcript.all[from]?.atMs
  const shown = seen.slice(0, MOST_PACKETS).map((one) => {
    const afterMs = startMs === undefined ? 0 : one.atMs - startMs
    return afterMs > 0 ? `${sightingInWords(one)} after ${seconds(afterMs)}` : sightingInWords(one)
  })
  const more = seen.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function hintOf(seen: readonly Sighting[]): Pick<Finding, 'hint'> {
  const hint = seen.flatMap(({ hints }) => Object.values(hints))[0]
  return hint === undefined ? {} : { hint }
}
