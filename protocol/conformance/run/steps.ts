import { publishBytes } from '../../frame.ts'
import { downTopic } from '../../topics.ts'
import type { Duration } from '../case/duration.ts'
import type { AskStep, ExpectStep, FaultStep, ForbidStep, SendStep, Step } from '../case/schema.ts'
import { type CommandSpec, JUMP, type SentCommand } from '../hub/commands.ts'
import { type Faults, NO_FAULTS } from '../hub/faults.ts'
import type { Finding } from '../report/report.ts'
import { pause } from '../wire/clock.ts'
import { CaseError, type CaseRun, NotApplicable } from './case-run.ts'
import { expectPacket, forbidPacket, watchMs } from './expectation.ts'
import type { Question } from './operator.ts'
import { hasOwnClock } from './requirements.ts'
import { speakFor, speakUpTo } from './speech.ts'

/** The result of a step: done, a finding, or an unanswered question. */
export type StepEnd =
  | { kind: 'done' }
  | { kind: 'found'; finding: Finding }
  | { kind: 'unanswered'; question: string; stillPasses: boolean }

const DONE: StepEnd = { kind: 'done' }

export async function runStep(run: CaseRun, step: Step): Promise<StepEnd> {
  if ('expect' in step) return end(unlessSkipped(run, step, await expectPacket(run, step)))
  if ('ask' in step) return await askOperator(run, step)
  if ('forbid' in step) {
    const from = run.from({ kind: step.forbid, of: step.of })
    if (step.for !== 'case') {
      const ms = watchMs(run, step)
      // It takes no time, or what it is measured by came in another order: nothing can be told.
      if (ms <= 0 && step.for !== 'now') return DONE
      return end(unlessSkipped(run, step, await forbidPacket(run, step, { from, ms })))
    }
    run.bans.push({ step, from })
    return DONE
  }
  await act(run, step)
  return DONE
}

function end(finding: Finding | undefined): StepEnd {
  return finding ? { kind: 'found', finding } : DONE
}

/** A device that breaks no rule may still be unable to show what the case is about. */
function unlessSkipped(
  run: CaseRun,
  step: ExpectStep | ForbidStep,
  found: Finding | undefined,
): Finding | undefined {
  const { bench } = run
  const { otherwise } = step
  if (found && 'expect' in step && mayLackRoom(run, step))
    throw new NotApplicable('it has no room for what waits behind the sentences that this network needs')
  if (!found || otherwise === undefined) return found
  if (otherwise === 'go-on') return undefined
  const came = `expected ${found.expected}, but ${found.came}`
  if (otherwise === 'skip') throw new NotApplicable(`it can't be decided on this device: ${came}`)
  if (!hasOwnClock(bench.profile, bench.standIn.session?.birth)) return found
  throw new NotApplicable(`it goes by its own clock (11.1): ${came}`, {})
}

/** A sound got no ack, and more sentences wait than the case itself has: a device may be busy (7.11). */
function mayLackRoom(run: CaseRun, { expect, of, says }: ExpectStep): boolean {
  if (run.sentences < 2 || expect !== 'ack' || of === undefined || says.st !== 'received') return false
  const { id, first } = run.command(of)
  const answers = run.bench.standIn.transcript.all.slice(first)
  return !answers.some((seen) => seen.kind === 'ack' && seen.says.id === id)
}

type Act = Exclude<Step, { expect: unknown } | { forbid: unknown } | { ask: unknown }>

async function act(run: CaseRun, step: Act): Promise<void> {
  const { standIn, operator, watches } = run.bench
  if (breaksTheLine(step)) await watches.over()
  run.mark()
  if ('send' in step) {
    // A second welcome or an odd number changes the device's state until the session ends.
    if (typeof step.n === 'number') run.needs = 'session'
    else if (step.send === 'welcome' && standIn.open && run.needs === 'nothing') run.needs = 'welcome'
    run.remember(step.as ?? step.send, await sendAll(run, step))
  } else if ('again' in step) {
    const { agoS, ttlS, wire } = step
    const command = run.command(step.again)
    standIn.rewrite(command, { agoS, ttlS })
    await standIn.send(command.frame, wire)
  } else if ('replay' in step) {
    const command = run.command(step.replay)
    command.from = standIn.transcript.end
    await standIn.send(command.frame, step.wire)
  } else if ('fault' in step) {
    applyFault(run, step)
  } else if ('goodbye' in step) {
    run.keepSid()
    await operator.goodbye?.(step.goodbye)
  } else {
    await operator.powerCycle?.(step['power-cycle'])
  }
}

function breaksTheLine(step: Act): boolean {
  return 'fault' in step || 'goodbye' in step || 'power-cycle' in step || step.wire === 'half'
}

function sendAll(run: CaseRun, step: SendStep): Promise<SentCommand> {
  if (step.lasting) return speak(run, step, step.lasting)
  if (step.upTo) return speakUpTo(run, step.upTo, () => sendOnce(run, step))
  return step.sweep ? sweep(run, step, step.sweep) : sendOnce(run, step)
}

/** Resolves with the first command that gets no ack, or with the last. */
async function sweep(run: CaseRun, step: SendStep, times: number): Promise<SentCommand> {
  const { standIn, profile } = run.bench
  const ms = profile.timings.answerMs + standIn.trips.longestMs
  for (let extra = 0; ; extra += 1) {
    const command = await sendOnce(run, { ...step, with: { ...step.with, pad: 'x'.repeat(extra) } })
    if (extra === times - 1) return command
    const acked = await standIn.transcript.until(
      command.first,
      ms,
      ({ kind, says }) => kind === 'ack' && says.id === command.id,
    )
    if (!acked) return command
  }
}

/** Each further try of a case speaks for longer, as on a network in which each trip is the longest one. */
async function speak(run: CaseRun, step: SendStep, lasting: Duration): Promise<SentCommand> {
  const { alone, as = step.send } = step
  const ms = run.ms(lasting, 'usual')
  const goodMs = run.attempt === 1 ? ms : run.attempt * run.ms(lasting)
  const spoken = await speakFor(run, { ms, goodMs, alone }, (amount) =>
    sendOnce(run, { ...step, d: { ...step.d, amount } }),
  )
  run.measure(as, spoken.ms)
  run.sentences = Math.max(run.sentences, spoken.count)
  return spoken.last
}

async function sendOnce(run: CaseRun, step: SendStep): Promise<SentCommand> {
  const { standIn } = run.bench
  const command = standIn.write(specOf(run, step))
  if (step.fill === undefined || step.fill === 'rx') assertFits(run, command)
  await standIn.send(command.frame, step.wire)
  return command
}

function specOf(run: CaseRun, step: SendStep): CommandSpec {
  const { d, body, without, agoS, ttlS, spelled, raw } = step
  return {
    ...{ t: step.send, d: d && substituted(run, d), with: step.with && substituted(run, step.with) },
    ...('body' in step ? { body } : {}),
    ...{ without, agoS, ttlS, forge: step.forge, spelled, raw, isSwept: step.sweep !== undefined },
    ...{ id: step.id && String(run.lookup(step.id.slice(1))) },
    ...{ until: step.until === undefined ? undefined : numberOf(run, step.until) },
    ...{
      n: commandNumber(run, step.n),
      stretch: step.stretch && { ...step.stretch, roomBytes: receiveBuffer(run) },
      fillBytes: step.fill && SIZES[step.fill](receiveBuffer(run)),
    },
  }
}

/** The hub refuses a device that has played a higher number (8.1). */
const MOST_PLAYED = 0x7fff_ffff

function commandNumber(run: CaseRun, n: SendStep['n']): CommandSpec['n'] {
  if (n === 'jump' && run.bench.standIn.commands.highest > MOST_PLAYED - 2 * JUMP)
    throw new NotApplicable(`its numbers would pass ${MOST_PLAYED}`)
  return n === undefined || n === 'next' || n === 'skip' || n === 'jump' ? n : numberOf(run, n)
}

function numberOf(run: CaseRun, given: number | string): number {
  const number = typeof given === 'string' ? run.lookup(given.slice(1)) : given
  if (typeof number === 'number') return number
  throw new CaseError(`${run.caseId}: ${given} is not a number`)
}

/**
 * The size of a PUBLISH by that of the receive buffer: a little more, so that a device without a size check accepts the
 * packet, and several reads of the buffer more.
 */
const SIZES = {
  rx: (rx: number) => rx,
  'over-rx': (rx: number) => rx + 8,
  'far-over-rx': (rx: number) => 3 * rx + 8,
} as const

/** From the profile or the birth (6.3), but no more than a hub ever sends. */
function receiveBuffer(run: CaseRun): number {
  const { profile, standIn } = run.bench
  const most = 4_096
  return Math.min(most, profile.rx ?? standIn.session?.birth?.rx ?? 512)
}

/** A hub never sends a packet that does not fit (6.3), so the kit must not judge the device by one. */
function assertFits(run: CaseRun, { frame }: SentCommand): void {
  const bytes = publishBytes(downTopic(run.bench.standIn.identity.serial), frame)
  const room = receiveBuffer(run)
  if (bytes > room) throw new NotApplicable(`the command has ${bytes} bytes, and the device's buffer ${room}`)
}

/** Replaces variables such as `$pay.n` by their values. */
function substituted(run: CaseRun, fields: Record<string, unknown>): Record<string, unknown> {
  const value = (given: unknown) =>
    typeof given === 'string' && given.startsWith('$') ? run.lookup(given.slice(1)) : given
  return Object.fromEntries(Object.entries(fields).map(([name, given]) => [name, value(given)]))
}

/** The faults of the stand-in for each step. `cut` and `silence` act on the connection instead. */
const FAULTS_OF_STEP: Record<
  Exclude<FaultStep['fault'], 'cut' | 'silence'>,
  (step: FaultStep) => Partial<Faults>
> = {
  'turn-away': () => ({ turnAway: true }),
  'hang-up': () => ({ hangUp: true }),
  refuse: ({ code = 3, key }) => ({ connack: code, connackFor: key }),
  'no-connack': () => ({ withholdConnack: true }),
  'no-suback': () => ({ withholdSuback: true }),
  'refuse-suback': ({ code = 0x80 }) => ({ refuseSuback: code }),
  'no-pingresp': () => ({ withholdPingresp: true }),
  'no-puback': ({ st = true }) => ({ withholdPuback: st }),
  'no-welcome': () => ({ withholdWelcome: true }),
  'settings-unknown': () => ({ settingsInWelcome: 'none' }),
  'settings-other': () => ({ settingsInWelcome: 'other' }),
  'clock-behind': ({ seconds = 3_600 }) => ({ clockBehindS: seconds }),
  none: () => NO_FAULTS,
}

function applyFault(run: CaseRun, step: FaultStep): void {
  const { standIn } = run.bench
  // A wrong clock and a half-open connection affect the device until the session ends.
  if (step.fault === 'clock-behind' || step.fault === 'silence') run.needs = 'session'
  if (step.fault === 'cut') standIn.cut()
  else if (step.fault === 'silence') standIn.goSilent()
  else standIn.setFaults(FAULTS_OF_STEP[step.fault](step))
}

async function askOperator(run: CaseRun, step: AskStep): Promise<StepEnd> {
  const { operator } = run.bench
  const text = step.ask.replace(/\{([^}]+)\}/g, (_, name: string) => shortened(String(run.lookup(name))))
  const of =
    'heard' in step.about ? step.about.heard : 'beeped' in step.about ? step.about.beeped : step.about.of
  const command = of === undefined ? undefined : run.command(of)
  const answer = await answerTo(run, step, { caseId: run.caseId, text, about: step.about, command })
  if (answer === undefined)
    return { kind: 'unanswered', question: text, stillPasses: step.unanswered === 'pass' }
  if (answer) return DONE
  const packets = command ? sentAndAcked(run, command.id) : []
  const { answersBy } = operator
  const came = answersBy ? `no, from ${answersBy}; its SB1_ABOUT was ${JSON.stringify(step.about)}` : 'no'
  return end({ level: step.level, expected: `yes to: ${text}`, came, packets })
}

/** Between two questions to a rig. */
const ASK_AGAIN_MS = 1_000

async function answerTo(
  run: CaseRun,
  { after, by }: AskStep,
  question: Question,
): Promise<boolean | undefined> {
  const { clock, operator } = run.bench
  if (!operator.answer) return undefined
  const { asksOnce = false } = operator
  const endMs = clock.now() + (by ? run.ms(by) : 0)
  if (after) await pause(clock, run.ms(after))
  if (asksOnce) await pause(clock, endMs - clock.now())
  let answer = await operator.answer(question)
  while (answer === false && clock.now() < endMs) {
    await pause(clock, Math.min(ASK_AGAIN_MS, endMs - clock.now()))
    answer = await operator.answer(question)
  }
  return answer
}

/** Nobody compares a longer text by eye. A rig has all of it in SB1_COMMAND. */
const MOST_SHOWN = 80

function shortened(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, 20)}… (${text.length} characters)`
}

/** The latest sending of a command, and the latest packet about it. */
function sentAndAcked(run: CaseRun, id: string): number[] {
  const { all } = run.bench.standIn.transcript
  const about = all.filter(({ says, kind }) => says.id === id && kind !== 'lost')
  const ends = [about.findLast(({ direction }) => direction === 'down'), about.at(-1)]
  return ends.flatMap((seen) => (seen ? [seen.seq] : []))
}
