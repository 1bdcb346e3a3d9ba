import { monotonicFactory } from 'ulid'
import { publishBytes } from '../../frame.ts'
import type { Envelope } from '../../messages/command.ts'
import type { Language } from '../../money/language.ts'
import { downTopic } from '../../topics.ts'
import { explainText } from '../likely/text.ts'
import { type Forgery, forge, respelledJson, type Seal, type Spelling, seal, sealText } from './forge.ts'
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
  /** The next number, the number after a gap of one or of millions, or a given number, which later ones ignore. */
  n?: 'next' | 'skip' | 'jump' | number | undefined
  /** How many seconds `at` is in the past. */
  agoS?: number | undefined
  ttlS?: number | undefined
  /** The sum of `at` and `ttl`. Replaces `ttlS`. */
  until?: number | undefined
  /** Repeats a text in a field of the body, `most` times at most, while the PUBLISH has no more than `roomBytes`. */
  stretch?: { field: string; text: string; most: number; roomBytes: number } | undefined
  /** Pads the frame with an unknown field until the PUBLISH has exactly this size. */
  fillBytes?: number | undefined
  /** One of several whose lengths differ by one byte each. */
  isSwept?: boolean
  forge?: Forgery | undefined
  spelled?: Spelling | undefined
  /** Replaces the whole object by this text, which ends in `}` and may be invalid JSON. The kit seals it unchanged. */
  raw?: string | undefined
}

/** A sent command. Later steps refer to it. */
export interface SentCommand extends Envelope {
  spec: CommandSpec
  /** The frame of its latest sending. */
  frame: Buffer
  /** The length of the transcript just before the first sending. */
  first: number
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
  /** Masks a key of the device for the command with this id (2.6). */
  maskedKey: (id: string, which: unknown) => string
}

const DEFAULT_TTL_S = 120
/** A multiple of this is 0 in 16 or 24 bits. As a float of 32 bits it equals the number above it. */
export const JUMP = 2 ** 24

/** All commands of a run. Numbers them as the hub does, and finds them by id. */
export class CommandRegistry {
  /** The highest number given so far. */
  highest = 0
  /** The highest settings version given or reported so far. */
  version = 0
  /** As the hub's: ids of the same second differ in their last letters only. Random numbers of the system are slow. */
  readonly #nextId = monotonicFactory(Math.random)
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
    const id = spec.id ?? this.#nextId(now * 1000)
    const maskedKey = (which: unknown) => context.maskedKey(id, which)
    const sample = { now, lang, highest: Math.max(n, this.highest), nextVersion: this.version + 1, maskedKey }
    const d = 'body' in spec ? spec.body : bodyOf(spec.t, spec.d ?? {}, sample)
    this.#learnVersion(spec.t, d)
    const command: SentCommand = {
      ...{ t: spec.t, id, n, d, spec },
      ...timed(spec, now),
      ...{ frame: Buffer.alloc(0), first: context.from, from: context.from },
    }
    command.d = stretched(command, context.seal)
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
    if (typeof choice === 'number') return choice
    if (choice === 'jump') this.highest = (Math.floor(this.highest / JUMP) + 1) * JUMP
    else this.highest += choice === 'skip' ? 2 : 1
    return this.highest
  }

  #learnVersion(t: string, d: unknown): void {
    const { ver }: { ver?: unknown } = Object(d)
    if (t === 'settings' && typeof ver === 'number') this.version = Math.max(this.version, ver)
  }
}

function timed(
  { agoS = 0, ttlS = DEFAULT_TTL_S, until }: Pick<CommandSpec, 'agoS' | 'ttlS' | 'until'>,
  now: number,
) {
  const at = now - agoS
  return { at, ttl: until === undefined ? ttlS : until - at }
}

function frameOf(
  { t, id, n, at, ttl, d, spec }: SentCommand,
  { seal: given }: Pick<SealContext, 'seal'>,
): Buffer {
  const body = { ...strip({ t, id, n, at, ttl, d }, spec.without ?? []), ...spec.with }
  if (spec.raw !== undefined) return sealText(given, spec.raw)
  if (spec.spelled) return sealText(given, respelledJson(spec.spelled, body))
  const whole = spec.fillBytes === undefined ? body : padded(given, body, spec.fillBytes)
  return spec.forge ? forge(spec.forge, given, whole) : seal(given, whole)
}

/** The body with the long text that it asks for. */
function stretched(command: SentCommand, given: Seal): unknown {
  const { stretch } = command.spec
  if (!stretch) return command.d
  const { field, text, most, roomBytes } = stretch
  const withText = (times: number) => ({ ...Object(command.d), [field]: text.repeat(times) })
  const bytes = publishBytes(
    downTopic(given.serial),
    frameOf({ ...command, d: withText(0) }, { seal: given }),
  )
  const times = Math.floor((roomBytes - bytes) / Buffer.byteLength(text))
  return withText(Math.min(most, Math.max(0, times)))
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

/** Adds an unknown field, so that the PUBLISH has `bytes`. A larger one only gets an empty field. */
function padded(given: Seal, body: Record<string, unknown>, bytes: number): Record<string, unknown> {
  const sizeWith = (pad: string) => publishBytes(downTopic(given.serial), seal(given, { ...body, pad }))
  // The fixed header grows by one byte at 128 and at 16,384. The second measurement includes that byte.
  const first = Math.max(0, bytes - sizeWith(''))
  const pad = 'x'.repeat(Math.max(0, first - (sizeWith('x'.repeat(first)) - bytes)))
  return { ...body, pad }
}
