import { expectedValues } from '../case/matcher.ts'
import type { ExpectStep, ForbidStep } from '../case/schema.ts'
import { explainAnswer } from '../likely/answer.ts'
import { explainForbidden } from '../likely/forbidden.ts'
import { explainNoSession, explainRefusedKey } from '../likely/session.ts'
import { describeEntry, describeExpectation, formatSeconds } from '../report/describe.ts'
import type { Finding } from '../report/report.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { type CaseRun, isLast, NotApplicable } from './case-run.ts'
import { END } from './patience.ts'

/** Stages that may come late, or never. */
const SLOW_STAGES: readonly unknown[] = ['played', 'shown', 'failed']
/** Packets that only come in a session. Waiting for them stops when the session ends. */
const IN_SESSION = ['ack', 'settings', 'puback', 'telemetry']
/** Steps to a session. One that is missing has its reason in the packets before it. */
const OF_SESSION = ['connect', 'subscribe', 'birth', 'welcomed']
/** A finding lists at most this many packets. The transcript has all of them. */
const MAX_PACKETS = 6

/** Waits for a packet. Stops early if it can no longer come: at another last stage, or when the device disconnects. */
export async function expectPacket(run: CaseRun, step: ExpectStep): Promise<Finding | undefined> {
  const { transcript, session } = run.bench.standIn
  const { expect: kind, of, after, ever, took } = step
  const from = run.from({ kind, of, after, ever })
  const link = session?.link.number
  const isExpected = (seen: TranscriptEntry) => run.isSubject(seen, kind, of) && run.fits(seen, step)
  const endsTheWait = (seen: TranscriptEntry) =>
    (kind === 'ack' &&
      of !== undefined &&
      run.isSubject(seen, kind, of) &&
      isLast(seen.says.st) &&
      !run.fits(seen, { says: stageOf(step), has: {} })) ||
    // The first birth after the step's cause is the one in question.
    (kind === 'birth' && seen.kind === 'birth' && !run.fits(seen, step)) ||
    (IN_SESSION.includes(kind) && seen.link === link && seen.kind === 'closed' && seen.has.by === 'device')
  const { patience } = run.bench
  const stage = slowStage(step)
  const ms = patience.msFor(
    stage,
    run.ms(step.within) + slackMs(run, step),
    of === undefined ? 0 : run.speechMs(of),
  )
  const found = await transcript.until(from, ms, (seen) => isExpected(seen) || endsTheWait(seen))
  if (!found && stage !== undefined) {
    const teller = patience.shownBy(stage)
    if (teller !== undefined) throw new NotApplicable(`the same mistake as in ${teller}`, {})
    patience.waited(stage, run.caseId)
  }
  assertWhile(run, step, found)
  if (found && isExpected(found)) {
    run.consume({ kind, of, took }, found)
    return undefined
  }
  const limit = found ? '' : ` within ${formatSeconds(ms)}`
  return {
    ...describe(run, step, kind, from),
    expected: `${describeExpectation(kind, step, run.lookup)}${limit}`,
  }
}

/** What the kit may wait for in vain: a last stage, or the end of the session. A repeat is answered at once. */
function slowStage({ expect: kind, says: { st, dup } }: ExpectStep): unknown {
  if (kind === 'disconnect') return END
  return kind === 'ack' && dup !== true && SLOW_STAGES.includes(st) ? st : undefined
}

/** On a slow network the packet comes later. If a later one can't show what the case is about, it is not waited for. */
function slackMs({ bench }: CaseRun, { otherwise }: ExpectStep): number {
  return otherwise === 'skip' ? 0 : bench.standIn.trips.longestMs
}

/**
 * An answer after the end of the sound decides nothing. A missing answer decides nothing either, if the command arrived
 * after the end.
 */
function assertWhile(run: CaseRun, step: ExpectStep, found: TranscriptEntry | undefined): void {
  const { while: sound, of } = step
  if (sound === undefined) return
  const { transcript, trips } = run.bench.standIn
  const sent = transcript.all[of === undefined ? 0 : run.command(of).from]
  const isArrival = ({ atMs }: TranscriptEntry) => sent !== undefined && atMs > sent.atMs + trips.longestMs
  // The answer itself may be the end of the sound.
  const end = found ? found.seq + 1 : transcript.all.find(isArrival)?.seq
  if (end !== undefined && run.wasOver(sound, end))
    throw new NotApplicable(`it can't be decided on this device: its sound was over before the case was`)
}

/** Only the expected stage: another last stage ends the wait, but the same stage may come again with other fields. */
function stageOf({ says: { st } }: ExpectStep): ExpectStep['says'] {
  return st === undefined ? {} : { st }
}

/** A shorter wait is for an answer that must not come, however late a stalled machine reads it. */
const TIMED_MS = 10_000

/** How long a step watches. On a slow network a forbidden packet comes later. */
export function watchMs(run: CaseRun, { for: time, moreThan, otherwise }: ForbidStep): number {
  if (time === 'now') return 0
  const ms = run.ms(time === 'case' ? 'quiet' : time)
  // How long the device itself takes does not depend on the network.
  const isForAnswer = moreThan === 0 && ms < TIMED_MS && otherwise === undefined && !time.includes(' of ')
  return isForAnswer ? ms + run.bench.standIn.trips.usualMs : ms
}

/** Watches for `ms` milliseconds. Resolves with a finding when the packet is forbidden. */
export async function forbidPacket(
  run: CaseRun,
  step: ForbidStep,
  { from, ms }: { from: number; ms: number },
): Promise<Finding | undefined> {
  const { transcript } = run.bench.standIn
  // A stalled machine prolongs the wait. What the device does by its own timers in that time must not count.
  const endMs = run.bench.clock.now() + ms
  const isTimed = step.moreThan > 0 || ms >= TIMED_MS
  const isForbidden = isTimed ? inTime(endMs, forbidden(run, step)) : forbidden(run, step)
  const tooMany = (seen: TranscriptEntry) => countUpTo(run, isForbidden, from, seen.seq) > step.moreThan
  const found = await transcript.until(from, ms, (seen) => isForbidden(seen) && tooMany(seen))
  if (!found) return undefined
  const seen = transcript.all.slice(from, found.seq + 1).filter(isForbidden)
  const what = describeExpectation(step.forbid, step, run.lookup)
  const { forbid: kind, moreThan, of } = step
  const command = of === undefined ? undefined : run.command(of)
  const forgery = command?.spec.forge
  const isOfLastSession = command !== undefined && run.isRecorded(command)
  return {
    level: step.level,
    expected:
      step.moreThan > 0
        ? `${what}, no more than ${step.moreThan} times in ${formatSeconds(ms)}`
        : `no ${what}`,
    came: step.moreThan > 0 ? timesInWords(run, seen, from) : inWords(run, seen, from),
    packets: [...cause(run, step.of), ...latest(seen)],
    ...withHint(explainForbidden({ kind, moreThan, forgery, isOfLastSession, isTooSoon: isTooSoon(step) })),
  }
}

/** Whether the step measures how long a sentence takes. */
function isTooSoon({ says, for: duration }: ForbidStep): boolean {
  return says.st === 'played' && duration.includes(' of ')
}

/** Matches the packets that a `forbid` step counts. */
function forbidden(run: CaseRun, step: ForbidStep): (seen: TranscriptEntry) => boolean {
  const { forbid: kind, of, except } = step
  return (seen) =>
    run.isSubject(seen, kind, of) &&
    run.fits(seen, step) &&
    !(except && run.fits(seen, { says: except, has: {} }))
}

function inTime(endMs: number, fits: (seen: TranscriptEntry) => boolean): typeof fits {
  return (seen) => seen.atMs <= endMs && fits(seen)
}

function countUpTo(run: CaseRun, fits: (seen: TranscriptEntry) => boolean, from: number, to: number): number {
  return run.bench.standIn.transcript.all.slice(from, to + 1).filter(fits).length
}

function timesInWords(run: CaseRun, seen: readonly TranscriptEntry[], from: number): string {
  const startMs = run.bench.standIn.transcript.all[from]?.atMs ?? 0
  return `${seen.length} times within ${formatSeconds((seen.at(-1)?.atMs ?? startMs) - startMs)}`
}

/** Describes the packets that came instead of the expected one. */
function describe(run: CaseRun, step: ExpectStep, kind: string, from: number): Omit<Finding, 'expected'> {
  const { all } = run.bench.standIn.transcript
  const since = all.slice(from)
  const same = since.filter((seen) => run.isSubject(seen, kind, step.of))
  const ends = since.filter((seen) => seen.kind === 'closed' && seen.has.by === 'device')
  const earlier = same.length > 0 ? [] : before(run, step, kind, from)
  const related = [...same, ...ends].sort((a, b) => a.seq - b.seq)
  const came = related.length > 0 ? inWords(run, related, from) : 'no such packet'
  return {
    level: step.level,
    came: earlier.length > 0 ? `${came}; before it: ${inWords(run, earlier, from)}` : came,
    packets: [...cause(run, step.of), ...latest([...earlier, ...related])],
    ...withHint(whyMissing(run, step, { kind, from, same })),
  }
}

/** The expected packet may have come too early: before an earlier expected one. */
function before(run: CaseRun, step: ExpectStep, kind: string, from: number): TranscriptEntry[] {
  if (step.of === undefined) return []
  const { all } = run.bench.standIn.transcript
  return all.slice(run.command(step.of).from, from).filter((seen) => run.isSubject(seen, kind, step.of))
}

/** The latest sending of the command. */
function cause(run: CaseRun, of: string | undefined): number[] {
  if (of === undefined) return []
  const { id, from } = run.command(of)
  const sent = run.bench.standIn.transcript.all
    .slice(from)
    .find((seen) => seen.direction === 'down' && seen.says.id === id)
  return sent ? [sent.seq] : []
}

function latest(seen: readonly TranscriptEntry[]): number[] {
  return seen.slice(-MAX_PACKETS).map(({ seq }) => seq)
}

function inWords(run: CaseRun, seen: readonly TranscriptEntry[], from: number): string {
  const startMs = run.bench.standIn.transcript.all[from]?.atMs
  const shown = seen.slice(0, MAX_PACKETS).map((one) => {
    const afterMs = startMs === undefined ? 0 : one.atMs - startMs
    return afterMs > 0 ? `${describeEntry(one)} after ${formatSeconds(afterMs)}` : describeEntry(one)
  })
  const more = seen.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function withHint(hint: string | undefined): Pick<Finding, 'hint'> {
  return hint === undefined ? {} : { hint }
}

/** The flag in the first byte of a PUBLISH (MQTT 3.1.1, 3.3.1.1). */
const DUP = 0x08

/** The likely reason why an expected packet did not come. */
function whyMissing(
  run: CaseRun,
  { of, says }: ExpectStep,
  { kind, from, same }: { kind: string; from: number; same: readonly TranscriptEntry[] },
): string | undefined {
  const { identity, transcript } = run.bench.standIn
  if (same.length === 0 && of === 'welcome') return explainNoSession(identity.serial, transcript.all)
  if (same.length === 0 && OF_SESSION.includes(kind))
    return explainRefusedKey(transcript.all) ?? explainNoSession(identity.serial, transcript.all.slice(from))
  const command = of === undefined ? undefined : run.command(of)
  const since = transcript.all.slice(command?.from ?? from)
  const came = command ? since.filter((seen) => run.isSubject(seen, kind, of)) : same
  const isConfirmed = since.some((seen) => seen.kind === 'puback' && seen.has.command === command?.id)
  const copies = since.filter((seen) => seen.kind === 'command' && seen.says.id === command?.id)
  const isMarked = copies.length > 0 && copies.every(({ bytes }) => (bytes.readUInt8() & DUP) !== 0)
  const asked = command && {
    ...command,
    isRespelled: command.spec.spelled === 'otherwise',
    isSwept: command.spec.isSwept === true,
    until: command.spec.until,
  }
  const openedAt = transcript.all.findLastIndex((seen) => seen.kind === 'opened')
  const isOfLastSession = command !== undefined && same.length === 0 && command.from < openedAt
  const wanted = expectedValues(says, run.lookup)
  const history = command ? transcript.all.filter((seen) => run.isSubject(seen, kind, of)) : same
  const clock = transcript.all.findLast((seen) => seen.kind === 'birth')?.hints.at
  const welcome = transcript.all.findLast(
    ({ direction, says }) => direction === 'down' && says.t === 'welcome',
  )
  const now = Number(Object(welcome?.says.d).now)
  const { schema } = came.at(-1)?.hints ?? {}
  const about = { kind, wanted, command: asked, came, history, now, clock }
  return explainAnswer({ ...about, isOfLastSession, isConfirmed, isMarked }) ?? schema
}
