import { language } from '../../messages/fields.ts'
import { LEVELS, type Level, levelsOf, operatorLacks } from '../case/evidence.ts'
import type { Profile } from '../case/profile.ts'
import type { Case } from '../case/schema.ts'
import { OPENING } from '../case/select.ts'
import { StandIn } from '../hub/stand-in.ts'
import type { Identity } from '../likely/identity.ts'
import type { CaseResult, Report, RunListener } from '../report/report.ts'
import type { Clock } from '../wire/clock.ts'
import type { Listen } from '../wire/listen.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { CaseRun } from './case-run.ts'
import { sentenceMs } from './clip-speed.ts'
import { deviceInfo, firstBirth, isContact } from './device.ts'
import { judgeInvariants } from './invariant.ts'
import type { Operator } from './operator.ts'
import { Patience } from './patience.ts'
import { unmetNeeds, unmetRequirement } from './requirements.ts'
import { type Ended, notRun, runCase } from './run-case.ts'
import { Watches } from './watches.ts'

export interface RunOptions {
  /** The version of the kit, for the report. */
  kit: string
  identity: Identity
  profile: Profile
  /** The cases, in the order of the run. */
  cases: readonly Case[]
  /** Ids of slow cases that are not run. */
  leftOut: readonly string[]
  operator: Operator
  clock: Clock
  listen: Listen
  /** How long to wait for the device. */
  waitMs: number
  /** Resolves to interrupt the run. */
  interrupted: Promise<void>
  listener: RunListener
}

/** Runs cases against the device that connects. Rejects when `listen` does. */
export async function runConformance(options: RunOptions): Promise<Report> {
  const { identity, profile, clock, listener, operator } = options
  const lang = () => {
    const spoken = profile.lang ?? standIn.session?.birth?.lang ?? []
    return language.safeParse(spoken.find((one) => language.safeParse(one).success)).data ?? 'vi'
  }
  const standIn = new StandIn({ identity, clock, lang })
  const server = await options.listen((line) => standIn.serve(line))
  listener.listening(server.port)
  const results: CaseResult[] = []
  let over = false
  const record = (result: CaseResult) => {
    // Ignore results that come after an interruption.
    if (over) return
    results.push(result)
    listener.ended(result)
  }
  const patience = new Patience(standIn.transcript, (caseId) => options.cases.some(({ id }) => id === caseId))
  const bench = { standIn, operator, clock, profile, patience, watches: new Watches() }
  await Promise.race([new CaseSequence(options, bench, record).run(), options.interrupted])
  standIn.cut()
  server.close()
  const done = new Set(results.map(({ id }) => id))
  const connected = standIn.transcript.end > 0
  if (connected)
    for (const one of options.cases)
      if (!done.has(one.id)) record(notRun(one, 'error', 'the run was interrupted', 'session'))
  over = true
  // The run starts when the device connects.
  const startedAtMs = standIn.transcript.all[0]?.atMs ?? clock.now()
  return {
    ...{ kit: options.kit, profile, watched: watchedBy(operator) },
    ...{ startedAtMs, durationMs: clock.now() - startedAtMs, serial: identity.serial, connected },
    ...{ device: deviceInfo(standIn), results, leftOut: [...options.leftOut] },
    lacks: unmetNeeds(profile, firstBirth(standIn), operator),
    transcript: standIn.transcript.all,
  }
}

function watchedBy({ powerCycle, answer }: Operator): Level[] {
  return LEVELS.filter((level) => level === 'wire' || (level === 'power' ? powerCycle : answer))
}

type Bench = ConstructorParameters<typeof CaseRun>[0]

/** This case shows that a newer welcome sets the time of the device, also back (11.6). */
const SETS_TIME = 'expiry/clock-set-back'

/** Waits for the device, runs the cases in turn, then checks the rules for every packet. */
class CaseSequence {
  readonly #options: RunOptions
  readonly #bench: Bench
  readonly #record: (result: CaseResult) => void
  readonly #abandoned = new Set<unknown>()
  /** The announcements that the device has received and not yet ended, with their numbers. */
  readonly #waiting = new Map<unknown, number>()
  /** How much of the transcript `#waiting` knows. */
  #read = 0
  /** The case that named a likely mistake first, by the mistake: one mistake is one failure. */
  readonly #hintedBy = new Map<string, string>()
  /** Tells the listener of cases and their results, in the order of the cases. */
  #told: Promise<void> = Promise.resolve()
  /** What the next case needs after the one before. */
  #needs: Ended['needs'] = 'nothing'
  #setsTime = false
  /** Why no further case can run. */
  #unreachable: string | undefined

  constructor(options: RunOptions, bench: Bench, record: (result: CaseResult) => void) {
    this.#options = options
    this.#bench = bench
    this.#record = record
  }

  async run(): Promise<void> {
    const { transcript } = this.#bench.standIn
    await transcript.until(0, this.#options.waitMs, isContact)
    if (transcript.end === 0) return
    const { cases } = this.#options
    for (const one of cases) {
      if (one.last) await this.#giveFirstKey()
      if (one.steps) await this.#runOne(one)
    }
    await this.#giveFirstKey()
    await this.#told
    const run = new CaseRun(this.#bench, { id: 'always' })
    for (const result of judgeInvariants(cases, transcript.all, run.lookup, this.#hintedBy))
      this.#record(result)
  }

  async #runOne(one: Case): Promise<void> {
    const { profile, operator, standIn } = this.#bench
    const isOpening = one.id === OPENING
    const birth = firstBirth(standIn)
    const reason = unmetRequirement(one, profile, birth, operator)
    if (reason && this.#unreachable === undefined) {
      const gap = operatorLacks(one.needs, unmetNeeds(profile, birth, operator))
      return this.#tell(notRun(one, 'skip', reason, gap))
    }
    if (!operator.answer && levelsOf(one).includes('senses') && this.#unreachable === undefined)
      return this.#tell(
        notRun(one, 'inconclusive', 'only a person or a camera can tell, and there is none', 'senses'),
      )
    if (!isOpening) await this.#ready(one)
    if (this.#unreachable !== undefined) return this.#tell(notRun(one, 'error', this.#unreachable, 'session'))
    // The opening case is reported after the birth, when the device is known.
    const { listener } = this.#options
    this.#next(isOpening ? () => undefined : () => listener.started(one))
    const { result, later } = await this.#tried(one, isOpening ? 0 : undefined)
    if (one.id === SETS_TIME) this.#setsTime = result.verdict === 'pass'
    if (isOpening) listener.connected(deviceInfo(standIn))
    this.#tell(later)
    void later.then(({ verdict }) => {
      if (verdict === 'fail' && result.verdict !== 'fail') this.#needs = 'session'
    })
    if (!isOpening) return
    if (result.verdict === 'pass') return
    const likely = result.findings.find(({ hint }) => hint !== undefined)?.hint
    this.#unreachable = likely === undefined ? 'it has no session' : `it has no session: ${likely}`
    if (likely !== undefined) this.#hintedBy.set(likely, one.id)
  }

  #next(tell: () => void): void {
    this.#told = this.#told.then(tell)
  }

  #tell(given: CaseResult | Promise<CaseResult>): void {
    this.#told = this.#told.then(async () => this.#record(await given))
  }

  /** Runs the case, again if it fails and has further tries, or if it could not be decided on the device. */
  async #tried(one: Case, from: number | undefined): Promise<Ended> {
    const first = await this.#run(one, { from })
    let last = first
    for (let attempt = 2; attempt <= triesOf(one, await resultOf(one, last)); attempt += 1) {
      await this.#ready(one)
      if (this.#unreachable !== undefined) break
      const again = await this.#run(one, { attempt })
      // A try that decides nothing takes no failure back.
      if (last.result.verdict !== 'fail' || again.result.verdict !== 'skip') last = again
    }
    const [finding] = last.result.verdict === 'pass' ? first.result.findings : []
    if (!finding) return last
    const note = `passed when tried again; first came ${finding.came}`
    return {
      ...last,
      later: last.later.then((result) => (result.verdict === 'pass' ? { ...result, note } : result)),
    }
  }

  async #run(one: Case, how: Parameters<typeof runCase>[2]): Promise<Ended> {
    const ended = await runCase(this.#bench, one, how)
    this.#needs = ended.needs
    return ended
  }

  /** Every case starts when the device has a session and has nothing left to speak. */
  async #ready(next?: Case): Promise<void> {
    const { standIn, profile } = this.#bench
    const { transcript } = standIn
    if (this.#unreachable !== undefined) return
    if (this.#needs !== 'nothing' && !(next && bringsWhatIsNeeded(next, this.#needs)))
      await this.#restore(this.#needs)
    this.#needs = 'nothing'
    if (!standIn.open) {
      const { backoffMs } = profile.timings
      await transcript.until(transcript.end, backoffMs, () => standIn.open !== undefined)
    }
    if (!standIn.open) this.#unreachable = 'the device did not come back'
    else await this.#untilSilent()
  }

  /** If the device is known to set its time by a newer welcome, one is sooner than a new session. */
  async #restore(needs: Ended['needs']): Promise<void> {
    const { standIn, watches } = this.#bench
    if (needs === 'welcome' && this.#setsTime && standIn.open && (await this.#isTaken('welcome'))) return
    await watches.over()
    standIn.cut()
  }

  /** Sends a command between two cases. */
  async #isTaken(t: 'welcome' | 'rekey'): Promise<boolean> {
    const { standIn, profile } = this.#bench
    const { id, first, frame } = standIn.write({ t })
    await standIn.send(frame)
    const isAck = ({ kind, says }: TranscriptEntry) => kind === 'ack' && says.id === id
    return Boolean(await standIn.transcript.until(first, profile.timings.answerMs, isAck))
  }

  /** A case may leave the device with the second key (2.6). It gets back the one that its hub knows. */
  async #giveFirstKey(): Promise<void> {
    const { standIn } = this.#bench
    if (!standIn.open || standIn.open.identity === standIn.identity) return
    await this.#ready()
    if (!standIn.open) return
    await this.#isTaken('rekey')
    standIn.cut()
    await this.#ready()
  }

  /** Waits until the device has spoken what it has received. Waits only once for an announcement that it never ends. */
  async #untilSilent(): Promise<void> {
    const { standIn, profile, patience } = this.#bench
    const { transcript } = standIn
    if (this.#unspoken().length === 0) return
    const ms = patience.msFor('played', profile.timings.speechMs, this.#unspokenMs())
    await transcript.until(transcript.end, ms, () => this.#unspoken().length === 0)
    for (const id of this.#unspoken()) this.#abandoned.add(id)
  }

  #unspokenMs(): number {
    const { standIn } = this.#bench
    const commands = this.#unspoken().map((id) => standIn.commands.byId(id))
    return commands.reduce((sum, command) => sum + (command ? sentenceMs(standIn, command) : 0), 0)
  }

  /**
   * The ids of announcements that the device has received and not yet ended. A birth voids those that have not begun
   * (7.18). Reads what the transcript has got since the last call: it is asked after every packet.
   */
  #unspoken(): unknown[] {
    const { standIn } = this.#bench
    const { all } = standIn.transcript
    for (const { kind, says, has } of all.slice(this.#read)) {
      const command = kind === 'ack' ? standIn.commands.byId(has.command) : undefined
      if (kind === 'birth')
        for (const [id, n] of this.#waiting) if (n > Number(says.played ?? 0)) this.#waiting.delete(id)
      if (command?.t !== 'announce') continue
      if (says.st === 'received') this.#waiting.set(has.command, command.n)
      else this.#waiting.delete(has.command)
    }
    this.#read = all.length
    return [...this.#waiting.keys()].filter((id) => !this.#abandoned.has(id))
  }
}

/** Whether a case begins with what it needs after the one before: it cuts the connection itself, or sets the clock. */
function bringsWhatIsNeeded({ steps = [] }: Case, needs: Ended['needs']): boolean {
  const [first] = steps
  if (needs === 'welcome' && first && 'send' in first && first.send === 'welcome' && !first.id) return true
  const cut = steps.findIndex((step) => 'fault' in step && step.fault === 'cut')
  return cut >= 0 && steps.slice(0, cut).every((step) => 'fault' in step)
}

/** Each further try to decide a case speaks for longer: a busy machine takes time between two steps. */
const TRIES_TO_DECIDE = 3

/** A case that may be run again waits for what comes during the next ones. */
async function resultOf({ tries }: Case, { result, later }: Ended): Promise<CaseResult> {
  return tries > 1 ? await later : result
}

/** How often the case is run if it comes out so. */
function triesOf({ tries }: Case, { verdict, open }: CaseResult): number {
  if (verdict === 'fail') return tries
  return open === 'device' ? TRIES_TO_DECIDE : 1
}
