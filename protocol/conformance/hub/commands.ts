import { ulid } from 'ulid'
import { publishBytes } from '../../frame.ts'
import type { Envelope } from '../../messages/command.ts'
import type { Language } from '../../money/language.ts'
import { downTopic } from '../../topics.ts'
import { explainText } from '../likely/text.ts'
import { type Forgery, forge, respelledJson, type Seal, seal, sealText } from './forge.ts'
import { bodyOf } from './samples.ts'

/** How to build a command. Fields that are left out have the hub's usual values. */
export interface CommandSpec {
  t: string
  /** Fields that replace those of the sample body of this type. */
  d?: Record<string, unknown> | undefined
  /** Replaces the whole body, with any JSON value. */
  body?: unknown
  /** Extra fields after `t`, `id`, `n`, `at`, `ttl` and `d`. */
  with?: Record<string, unknown> | undefined
  /** Fields to leave out. `d.clips` names a field of the body. */
  without?: readonly string[] | undefined
  /** Replaces the generated ULID. */
  id?: string | undefined
  /** The next number, the number after a gap of one, or a given number. */
  n?: 'next' | 'skip' | number | undefined
  /** How many seconds `at` is in the past. */
  agoS?: number | undefined
  ttlS?: number | undefined
  /** Pads the frame with an unknown field until the PUBLISH has exactly this size. */
  fillBytes?: number | undefined
  forge?: Forgery | undefined
  /** Writes the JSON with spaces, Unicode escapes and another field order. */
  spelled?: 'otherwise' | undefined
  /** Replaces the whole object by this text, which ends in `}` and may be invalid JSON. The kit seals it unchanged. */
  raw?: string | undefined
}

/** A sent command. Later steps refer to it. */
export interface SentCommand extends Envelope {
  spec: CommandSpec
  /** The frame of its latest sending. */
  frame: Buffer
  /** The length of the transcript just before the latest sending. */
  from: number
}

/** What a frame depends on when it is sent. */
export interface SealContext {
  seal: Seal
  /** The stand-in's clock, Unix seconds. */
  now: number
  lang: Language
  from: number
}

const DEFAULT_TTL_S = 120

/** All commands of a run. Numbers them as the hub does, and finds them by id. */
export class CommandRegistry {
  /** The highest number given so far. */
  highest = 0
  /** The highest settings version given or reported so far. */
  version = 0
  readonly #byId = new Map<string, SentCommand>()

  byId(id: unknown): SentCommand | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined
  }

  /** The command that an ack is about. If its id is unknown: the one of this number whose id is misspelled in it. */
  meantBy(id: unknown, n: unknown): SentCommand | undefined {
    const isMeant = (one: SentCommand) => one.n === n && explainText(id, one.id) !== undefined
    return this.byId(id) ?? [...this.#byId.values()].findLast(isMeant)
  }

  /** Continues above the numbers that the device reported in its birth. */
  startAbove(played: number, version: number): void {
    this.highest = Math.max(this.highest, played)
    this.version = Math.max(this.version, version)
  }

  create(spec: CommandSpec, context: SealContext): SentCommand {
    const n = this.#number(spec.n ?? 'next')
    const { now, lang } = context
    const sample = { now, lang, highest: Math.max(n, this.highest), nextVersion: this.version + 1 }
    const d = 'body' in spec ? spec.body : bodyOf(spec.t, spec.d ?? {}, sample)
    this.#learnVersion(spec.t, d)
    const command: SentCommand = {
      ...{ t: spec.t, id: spec.id ?? ulid(now * 1000), n, d, spec },
      ...timed(spec, now),
      ...{ frame: Buffer.alloc(0), from: context.from },
    }
    this.#byId.set(command.id, command)
    command.frame = frameOf(command, context)
    return command
  }

  /** Rebuilds the frame for a resend: the same id and n, a new `at` and MAC. */
  rewrite(command: SentCommand, changes: Pick<CommandSpec, 'agoS' | 'ttlS'>, context: SealContext): void {
    Object.assign(command, timed({ ...command.spec, ...changes }, context.now), { from: context.from })
    command.frame = frameOf(command, context)
  }

  #number(choice: NonNullable<CommandSpec['n']>): number {
    const n = choice === 'next' ? this.highest + 1 : choice === 'skip' ? this.highest + 2 : choice
    this.highest = Math.max(this.highest, n)
    return n
  }

  #learnVersion(t: string, d: unknown): void {
    const { ver }: { ver?: unknown } = Object(d)
    if (t === 'settings' && typeof ver === 'number') this.version = Math.max(this.version, ver)
  }
}

function timed({ agoS = 0, ttlS = DEFAULT_TTL_S }: Pick<CommandSpec, 'agoS' | 'ttlS'>, now: number) {
  return { at: now - agoS, ttl: ttlS }
}

function frameOf({ t, id, n, at, ttl, d, spec }: SentCommand, { seal: given }: SealContext): Buffer {
  const body = { ...strip({ t, id, n, at, ttl, d }, spec.without ?? []), ...spec.with }
  if (spec.raw !== undefined) return sealText(given, spec.raw)
  if (spec.spelled) return sealText(given, respelledJson(body))
  if (spec.forge) return forge(spec.forge, given, body)
  return spec.fillBytes === undefined ? seal(given, body) : filled(given, body, spec.fillBytes)
}

/** Removes fields. `d.clips` names a field of the body. */
function strip(body: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  const inner = paths.flatMap((path) => (path.startsWith('d.') ? [path.slice(2)] : []))
  const outer = Object.entries(body).filter(([name]) => !paths.includes(name))
  return Object.fromEntries(
    outer.map(([name, value]) =>
      name === 'd' && inner.length > 0 ? [name, strip(Object(value), inner)] : [name, value],
    ),
  )
}

/** Pads the frame with an unknown field up to `bytes`. A larger frame stays unchanged. */
function filled(given: Seal, body: Record<string, unknown>, bytes: number): Buffer {
  const sizeWith = (pad: string) => publishBytes(downTopic(given.serial), seal(given, { ...body, pad }))
  // The fixed header grows by one byte at 128 and at 16,384. The second measurement includes that byte.
  const first = Math.max(0, bytes - sizeWith(''))
  const pad = 'x'.repeat(Math.max(0, first - (sizeWith('x'.repeat(first)) - bytes)))
  return seal(given, { ...body, pad })
}
