import { downTopic, upTopic } from '../../topics.ts'
import { type Duration, durationToMs } from '../case/duration.ts'
import type { Gap } from '../case/evidence.ts'
import { factAt, type Lookup, mismatches } from '../case/matcher.ts'
import type { Profile } from '../case/profile.ts'
import type { Case, ExpectStep, ForbidStep } from '../case/schema.ts'
import type { SentCommand } from '../hub/commands.ts'
import type { StandIn } from '../hub/stand-in.ts'
import type { Clock } from '../wire/clock.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { sentenceMs } from './clip-speed.ts'
import type { Operator } from './operator.ts'
import type { Patience } from './patience.ts'
import type { Watches } from './watches.ts'

/** The environment of every case. */
export interface Bench {
  standIn: StandIn
  operator: Operator
  clock: Clock
  profile: Profile
  patience: Patience
  watches: Watches
}

/** A mistake in a case file, such as an unknown name. The author of the case reads the message. */
export class CaseError extends Error {
  override readonly name = 'CaseError'
}

/** The case does not apply to this device. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  /** What it would take to decide the case. Undefined if nothing is left to decide. */
  readonly open: Gap | undefined

  constructor(sentence: string, { open }: { open?: Gap } = { open: 'device' }) {
    super(sentence)
    this.open = open
  }
}

/** What a step searches for. */
interface Search {
  kind: string
  of?: string | undefined
  after?: string | undefined
  ever?: boolean
}

/** Used before the CONNECT is known. Most MQTT clients use this value. */
const DEFAULT_KEEPALIVE_S = 60

/** The state of one running case. */
export class CaseRun {
  readonly bench: Bench
  readonly caseId: string
  /** Counts the runs of the case, from 1. */
  readonly attempt: number
  /** `forbid` steps that apply until the end of the case. */
  readonly bans: { step: ForbidStep; from: number }[] = []
  /** The most sentences that one step has sent, because one is too short on a slow network. */
  sentences = 0
  /** What the next case needs after this one: nothing, a welcome that sets the clock, or a new session. */
  needs: 'nothing' | 'welcome' | 'session' = 'nothing'
  readonly #commands = new Map<string, SentCommand>()
  readonly #read = new Map<string, number>()
  readonly #measuredMs = new Map<string, number>()
  #foundAtMs = 0
  #sid: string | undefined
  /** The birth that was expected last. */
  #birth: TranscriptEntry | undefined
  #mark: number

  constructor(
    bench: Bench,
    { id }: Pick<Case, 'id'>,
    { from = bench.standIn.transcript.end, attempt = 1 }: { from?: number; attempt?: number } = {},
  ) {
    this.bench = bench
    this.caseId = id
    this.attempt = attempt
    this.#mark = from
  }

  /** Returns the value of a variable: `serial`, `pay.n`, `birth.played`, or with an offset `pay.n-1`, `now+2`. */
  readonly lookup: Lookup = (text) => {
    const [, name = text, shift] = /^(.+)([+-]\d+)$/.exec(text) ?? []
    const value = this.#valueOf(name)
    return shift === undefined ? value : Number(value) + Number(shift)
  }

  #valueOf(name: string): unknown {
    const { identity, session } = this.bench.standIn
    if (name === 'serial') return identity.serial
    if (name === 'downTopic') return downTopic(identity.serial)
    if (name === 'willTopic') return upTopic(identity.serial, 'will')
    if (name === 'sid') return this.#sid ?? session?.dialect.sid
    if (name === 'now') return this.bench.standIn.now
    const [command = '', ...path] = name.split('.')
    if (command === 'birth' && this.#birth) return factAt(this.#birth.says, path.join('.'))
    if (path.length > 0) return factAt(this.command(command), path.join('.'))
    throw new CaseError(`${this.caseId}: unknown variable $${name}`)
  }

  command(name: string): SentCommand {
    const sent = name === 'welcome' ? this.bench.standIn.session?.welcome : this.#commands.get(name)
    if (!sent) throw new CaseError(`${this.caseId}: no command was sent with the name ${name}`)
    return sent
  }

  remember(name: string, command: SentCommand): void {
    this.#commands.set(name, command)
  }

  /** `$sid` stays the id of this session, whatever session is open when a later step uses it. */
  keepSid(): void {
    this.#sid = this.bench.standIn.session?.dialect.sid
  }

  /** Later `expect` steps ignore packets from before this point. */
  mark(): void {
    this.#mark = this.bench.standIn.transcript.end
  }

  /** The index to search from: after the step's cause, and after the latest expected packet of the same kind. */
  from({ kind, of, after, ever = false }: Search): number {
    const behind = after === undefined ? 0 : (this.#read.get(subject(kind, after)) ?? 0)
    if (ever && of) return Math.max(this.command(of).first, behind)
    const start = of ? this.command(of).from : this.#mark
    return Math.max(start, behind, this.#read.get(subject(kind, of)) ?? 0)
  }

  /** Its bytes come from an earlier session, and were sent again unchanged in this one. */
  isRecorded({ id, first, from }: SentCommand): boolean {
    const { transcript } = this.bench.standIn
    const sent = transcript.all
      .slice(first)
      .filter(({ direction, says }) => direction === 'down' && says.id === id)
    const latest = sent.find(({ seq }) => seq >= from)
    return sent[0]?.link !== latest?.link && sent[0]?.says.mac === latest?.says.mac
  }

  /** Marks an expected packet as found. The search for the next one of its kind starts after it. */
  consume({ kind, of, took }: Search & { took?: string | undefined }, entry: TranscriptEntry): void {
    this.#read.set(subject(kind, of), entry.seq + 1)
    if (took !== undefined) this.#measuredMs.set(took, entry.atMs - this.#foundAtMs)
    this.#foundAtMs = entry.atMs
    if (kind === 'birth') this.#birth = entry
  }

  /** Notes how long what a step does takes, for later durations. */
  measure(name: string, ms: number): void {
    this.#measuredMs.set(name, ms)
  }

  /** `trip` chooses which trip counts: the longest one for a wait that must not end too early. */
  ms(duration: Duration, trip: 'usual' | 'longest' = 'longest'): number {
    const { trips } = this.bench.standIn
    const keepalive = this.bench.standIn.transcript.all.find(({ kind }) => kind === 'connect')?.has.keepalive
    return durationToMs(duration, {
      timings: this.bench.profile.timings,
      keepaliveS: typeof keepalive === 'number' ? keepalive : DEFAULT_KEEPALIVE_S,
      tripMs: trip === 'usual' ? trips.usualMs : trips.longestMs,
      measuredMs: (name) => this.speechMs(name),
    })
  }

  /** A time that a step has measured, or how long the device takes for an announcement. 0 for another command. */
  speechMs(name: string): number {
    const measured = this.#measuredMs.get(name)
    if (measured !== undefined) return measured
    const command = this.command(name)
    return command.t === 'announce' ? sentenceMs(this.bench.standIn, command) : 0
  }

  /** Whether a packet before index `end` says that the sound has ended. An ack with `dup` only answers a repeat. */
  wasOver(name: string, end: number): boolean {
    const { first } = this.command(name)
    const { all } = this.bench.standIn.transcript
    const isEnd = ({ says: { st, dup } }: TranscriptEntry) => isLast(st) && dup !== true
    return all.slice(first, end).some((seen) => this.isSubject(seen, 'ack', name) && isEnd(seen))
  }

  /** Whether an entry has this kind and refers to this command. */
  isSubject(entry: TranscriptEntry, kind: string, of: string | undefined): boolean {
    if (kind === 'any' ? entry.direction !== 'up' : entry.kind !== kind) return false
    if (entry.direction === 'down') return false
    if (of === undefined) return true
    const { id } = this.command(of)
    return (entry.has.command ?? entry.says.id) === id
  }

  fits(entry: TranscriptEntry, { says, has }: Pick<ExpectStep, 'says' | 'has'>): boolean {
    return (
      mismatches(says, entry.says, this.lookup).length === 0 &&
      mismatches(has, entry.has, this.lookup).length === 0
    )
  }
}

/** Stages that end a command. */
const LAST_STAGES: readonly unknown[] = ['shown', 'played', 'failed']

export function isLast(stage: unknown): boolean {
  return LAST_STAGES.includes(stage)
}

function subject(kind: string, of: string | undefined): string {
  return of === undefined ? kind : `${kind} ${of}`
}
