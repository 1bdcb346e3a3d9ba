import { createServer, type Server } from 'node:net'
import { language } from '../../messages/fields.ts'
import type { Case } from '../case/schema.ts'
import { OPENING } from '../case/select.ts'
import type { Clock } from '../wire/clock.ts'
import type { Identity } from '../hub/diagnose.ts'
import { StandIn } from '../hub/stand-in.ts'
import type { Profile } from '../case/profile.ts'
import type { CaseResult, DeviceSaid, Report } from '../report/report.ts'
import { judgeAlways } from './invariant.ts'
import { CaseRun } from './case-run.ts'
import { whyNot } from './requirements.ts'
import type { People } from './operator.ts'
import { notRun, runCase } from './run-case.ts'

export interface RunOptions {
  identity: Identity
  profile: Profile
  /** What is run, in this order. */
  cases: readonly Case[]
  /** Ids of cases that are left out for their length. */
  leftOut: readonly string[]
  people: People
  clock: Clock
  host: string
  /** 0 takes a free one. */
  port: number
  /** For how long the device is waited for, milliseconds. */
  waitMs: number
  /** Ends the run where it stands. */
  interrupted: Promise<void>
  listener: RunListener
}

/** What whoever shows the run is told. */
export interface RunListener {
  listening(port: number): void
  /** The device is there, and has said who it is; undefined when it has connected only. */
  connected(device: DeviceSaid | undefined): void
  started(one: Case): void
  ended(result: CaseResult): void
}

/** Runs cases against the device that connects. Rejects when the port can't be had. */
export async function runConformance(options: RunOptions): Promise<Report> {
  const { identity, profile, clock, host, port, listener, people } = options
  const lang = () => {
    const spoken = profile.lang ?? standIn.session?.birth?.lang ?? []
    return language.safeParse(spoken.find((one) => language.safeParse(one).success)).data ?? 'vi'
  }
  const standIn = new StandIn({ identity, clock, lang })
  const server = createServer((socket) => standIn.serve(socket))
  listener.listening(await listen(server, host, port))
  const results: CaseResult[] = []
  let over = false
  const record = (result: CaseResult) => {
    // What an interrupted course still finds out comes too late.
    if (over) return
    results.push(result)
    listener.ended(result)
  }
  const bench = { standIn, people, clock, profile }
  await Promise.race([new Course(options, bench, record).run(), options.interrupted])
  standIn.cut()
  server.close()
  const done = new Set(results.map(({ id }) => id))
  const connected = standIn.transcript.all.some(({ kind }) => kind === 'connect')
  if (connected)
    for (const one of options.cases)
      if (!done.has(one.id)) record(notRun(one, 'error', 'the run was interrupted'))
  over = true
  // The time before the device came is not its own.
  const startedAtMs = standIn.transcript.all[0]?.atMs ?? clock.now()
  return {
    ...{ startedAtMs, durationMs: clock.now() - startedAtMs, serial: identity.serial, connected },
    ...{ device: deviceSaid(standIn), results, leftOut: [...options.leftOut] },
    transcript: standIn.transcript.all,
  }
}

type Bench = ConstructorParameters<typeof CaseRun>[0]

/** The course of a run: wait, open, the cases in turn, then what holds for all packets. */
class Course {
  readonly #options: RunOptions
  readonly #bench: Bench
  readonly #record: (result: CaseResult) => void
  readonly #givenUp = new Set<unknown>()
  /** Why no case can be run any more. */
  #gone: string | undefined

  constructor(options: RunOptions, bench: Bench, record: (result: CaseResult) => void) {
    this.#options = options
    this.#bench = bench
    this.#record = record
  }

  async run(): Promise<void> {
    const { transcript } = this.#bench.standIn
    const first = await transcript.until(0, this.#options.waitMs, ({ kind }) => kind === 'connect')
    if (!first) return
    const { cases } = this.#options
    for (const one of cases) if (one.steps) await this.#take(one)
    const run = new CaseRun(this.#bench, { id: 'always' })
    for (const one of cases) if (one.always) this.#record(judgeAlways(one, transcript.all, run.lookup))
  }

  async #take(one: Case): Promise<void> {
    const { profile, people, standIn } = this.#bench
    const isOpening = one.id === OPENING
    if (!isOpening) await this.#ready()
    if (this.#gone !== undefined) return this.#record(notRun(one, 'error', this.#gone))
    const reason = whyNot(one, profile, standIn.session?.birth, people)
    if (reason) return this.#record(notRun(one, 'skip', reason))
    if (!people.answer && isForEyesOnly(one))
      return this.#record(notRun(one, 'inconclusive', 'only eyes can tell, and nobody looks'))
    // Who opens the run is told of when it is known who has come.
    if (!isOpening) this.#options.listener.started(one)
    const result = await runCase(this.#bench, one, isOpening ? 0 : undefined)
    if (isOpening) this.#options.listener.connected(deviceSaid(standIn))
    this.#record(result)
    if (!isOpening) return
    if (result.verdict !== 'pass') this.#gone = 'it has no session'
  }

  /** A device with a session and nothing left to say: every case starts with that. */
  async #ready(): Promise<void> {
    const { standIn, profile } = this.#bench
    const { transcript } = standIn
    if (this.#gone !== undefined) return
    if (!standIn.open) {
      const { backoffMs } = profile.timings
      await transcript.until(transcript.end, backoffMs, () => standIn.open !== undefined)
    }
    if (!standIn.open) this.#gone = 'the device did not come back'
    else await this.#silence()
  }

  /** Waits until what it has received is spoken. What it never speaks is waited for once. */
  async #silence(): Promise<void> {
    const { standIn, profile } = this.#bench
    const { transcript } = standIn
    if (this.#unspoken().length === 0) return
    await transcript.until(transcript.end, profile.timings.speechMs, () => this.#unspoken().length === 0)
    for (const id of this.#unspoken()) this.#givenUp.add(id)
  }

  /** The ids of announcements that it has received, and has not come to the end of. */
  #unspoken(): unknown[] {
    const waiting = new Set<unknown>()
    const { standIn } = this.#bench
    for (const { kind, says } of standIn.transcript.all) {
      if (kind !== 'ack' || standIn.commands.byId(says.id)?.t !== 'announce') continue
      if (says.st === 'received' && !this.#givenUp.has(says.id)) waiting.add(says.id)
      else waiting.delete(says.id)
    }
    return [...waiting]
  }
}

/** Whether all that a case finds out is seen by a person, so that without one it is not worth its time. */
function isForEyesOnly({ steps = [] }: Case): boolean {
  return steps.some((step) => 'ask' in step && step.unanswered === 'inconclusive')
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Read off the first birth. */
function deviceSaid({ identity, transcript }: StandIn): DeviceSaid | undefined {
  const said = transcript.all.find(({ kind }) => kind === 'birth')?.says
  if (!said) return undefined
  const words = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  const word = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    ...{ serial: identity.serial, fw: word(said.fw), model: word(said.model) },
    ...{ caps: words(said.caps), lang: words(said.lang), rx: typeof said.rx === 'number' ? said.rx : 512 },
  }
}
