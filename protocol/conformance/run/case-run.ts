import { downTopic, upTopic } from '../../topics.ts'
import { factAt, type Lookup, mismatches } from '../case/matcher.ts'
import type { Case, ExpectStep, ForbidStep } from '../case/schema.ts'
import { type Span, spanMs } from '../case/duration.ts'
import type { Clock } from '../wire/clock.ts'
import type { SentCommand } from '../hub/commands.ts'
import type { StandIn } from '../hub/stand-in.ts'
import type { Profile } from '../case/profile.ts'
import type { Sighting } from '../wire/transcript.ts'
import type { People } from './operator.ts'

/** What every case is run with. */
export interface Bench {
  standIn: StandIn
  people: People
  clock: Clock
  profile: Profile
}

/** A case names a command that it has not sent. Its words are for whoever wrote the case. */
export class CaseMistake extends Error {
  override readonly name = 'CaseMistake'
}

/** A case turns out not to make sense for this device. */
export class NotForDevice extends Error {
  override readonly name = 'NotForDevice'
}

/** MQTT's keepalive where the device's own is not known: what most clients use. */
const USUAL_KEEPALIVE_S = 60

/** What one case has sent and seen so far. */
export class CaseRun {
  readonly bench: Bench
  readonly caseId: string
  /** Bans that hold to the end of the case. */
  readonly bans: { step: ForbidStep; from: number }[] = []
  /** The session is not fit for another case. */
  spoiled = false
  readonly #commands = new Map<string, SentCommand>()
  readonly #read = new Map<string, number>()
  #mark: number

  constructor(bench: Bench, { id }: Pick<Case, 'id'>, from = bench.standIn.transcript.end) {
    this.bench = bench
    this.caseId = id
    this.#mark = from
  }

  /** `$serial`, `$pay.n`, and with a whole number added or taken away: `$pay.n-1`, `$now+2`. */
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
    if (name === 'sid') return session?.sid
    if (name === 'now') return this.bench.standIn.now
    const [command = '', ...path] = name.split('.')
    if (path.length > 0) return factAt(this.command(command), path.join('.'))
    throw new CaseMistake(`${this.caseId}: nothing is called $${name}`)
  }

  command(name: string): SentCommand {
    const sent = name === 'welcome' ? this.bench.standIn.session?.welcome : this.#commands.get(name)
    if (!sent) throw new CaseMistake(`${this.caseId}: no command was sent as ${name}`)
    return sent
  }

  remember(name: string, command: SentCommand): void {
    this.#commands.set(name, command)
  }

  /** From here on packets are new: something was just done to the device. */
  mark(): void {
    this.#mark = this.bench.standIn.transcript.end
  }

  /** Where to look from: behind the last packet of this kind that was expected, and behind what set it off. */
  from({ kind, of, after }: { kind: string; of?: string | undefined; after?: string | undefined }): number {
    const start = of ? this.command(of).from : this.#mark
    const behind = after === undefined ? 0 : (this.#read.get(subject(kind, after)) ?? 0)
    return Math.max(start, behind, this.#read.get(subject(kind, of)) ?? 0)
  }

  /** The packet was expected and has come: the next one of its kind comes behind it. */
  consume(kind: string, of: string | undefined, sighting: Sighting): void {
    this.#read.set(subject(kind, of), sighting.seq + 1)
  }

  ms(span: Span): number {
    const keepaliveS = this.bench.standIn.transcript.all.find(({ kind }) => kind === 'connect')?.has.keepalive
    const { timings } = this.bench.profile
    return spanMs(span, timings, typeof keepaliveS === 'number' ? keepaliveS : USUAL_KEEPALIVE_S)
  }

  /** Whether a sighting is of this kind and about this command. */
  isSubject(sighting: Sighting, kind: string, of: string | undefined): boolean {
    if (kind === 'any' ? sighting.direction !== 'up' : sighting.kind !== kind) return false
    if (sighting.direction === 'down') return false
    if (of === undefined) return true
    const { id } = this.command(of)
    return kind === 'puback' ? sighting.has.command === id : sighting.says.id === id
  }

  fits(sighting: Sighting, { says, has }: Pick<ExpectStep, 'says' | 'has'>): boolean {
    return (
      mismatches(says, sighting.says, this.lookup).length === 0 &&
      mismatches(has, sighting.has, this.lookup).length === 0
    )
  }
}

function subject(kind: string, of: string | undefined): string {
  return of === undefined ? kind : `${kind} ${of}`
}
