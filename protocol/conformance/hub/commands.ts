import { ulid } from 'ulid'
import { publishBytes } from '../../frame.ts'
import type { Language } from '../../money/language.ts'
import { downTopic } from '../../topics.ts'
import { type Forgery, forge, type Seal, seal, sealText, spelledOtherwise } from './forge.ts'
import { bodyOf } from './samples.ts'

/** What a case wants sent; everything left out is as the hub would do it. */
export interface Order {
  t: string
  /** Changes to the sample body of this type. */
  d?: Record<string, unknown> | undefined
  /** In place of the body, whatever it is. */
  body?: unknown
  /** More fields beside `t`, `id`, `n`, `at`, `ttl`, `d`; they stand behind them. */
  with?: Record<string, unknown> | undefined
  /** Fields left out: of the envelope, or of the body as `d.clips`. */
  without?: readonly string[] | undefined
  /** In place of a fresh ULID. */
  id?: string | undefined
  /** The number: the next one, the one after a gap of one, or one that is given. */
  n?: 'next' | 'skip' | number | undefined
  /** Seconds that `at` lies in the past. */
  agoS?: number | undefined
  ttlS?: number | undefined
  /** Padded with an unknown field until the PUBLISH has exactly so many bytes. */
  fillBytes?: number | undefined
  forge?: Forgery | undefined
  /** Written with spaces and Unicode escapes, its fields in another order. */
  spelled?: 'otherwise' | undefined
  /** In place of the whole object: text that ends in `}`, JSON or not, sealed as it is. */
  raw?: string | undefined
}

/** A command that was sent, so that later steps can speak of it. */
export interface SentCommand {
  t: string
  id: string
  n: number
  at: number
  ttl: number
  d: unknown
  order: Order
  /** The frame of its latest sending. */
  frame: Buffer
  /** The transcript's end right before its latest sending. */
  from: number
}

/** What the frame of a command depends on at the moment of its sending. */
export interface Moment {
  seal: Seal
  /** The stand-in's clock, Unix seconds. */
  now: number
  lang: Language
  from: number
}

const DEFAULT_TTL_S = 120

/** Every command of a run: numbers them as the hub does, and knows them again by their id. */
export class Commands {
  /** The highest number given so far. */
  highest = 0
  /** The highest settings version given or reported so far. */
  version = 0
  readonly #byId = new Map<string, SentCommand>()

  byId(id: unknown): SentCommand | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined
  }

  /** The device says what it has: numbers go on above it. */
  startAbove(played: number, version: number): void {
    this.highest = Math.max(this.highest, played)
    this.version = Math.max(this.version, version)
  }

  make(order: Order, moment: Moment): SentCommand {
    const n = this.#number(order.n ?? 'next')
    const { now, lang } = moment
    const context = { now, lang, highest: Math.max(n, this.highest), nextVersion: this.version + 1 }
    const d = 'body' in order ? order.body : bodyOf(order.t, order.d ?? {}, context)
    this.#learnVersion(order.t, d)
    const command: SentCommand = {
      ...{ t: order.t, id: order.id ?? ulid(now * 1000), n, d, order },
      ...timed(order, now),
      ...{ frame: Buffer.alloc(0), from: moment.from },
    }
    this.#byId.set(command.id, command)
    command.frame = frameOf(command, moment)
    return command
  }

  /** Writes a command anew, as each of its sendings does: the same id and n, another `at` and MAC. */
  remake(command: SentCommand, changes: Pick<Order, 'agoS' | 'ttlS'>, moment: Moment): void {
    Object.assign(command, timed({ ...command.order, ...changes }, moment.now), { from: moment.from })
    command.frame = frameOf(command, moment)
  }

  #number(wish: NonNullable<Order['n']>): number {
    const n = wish === 'next' ? this.highest + 1 : wish === 'skip' ? this.highest + 2 : wish
    this.highest = Math.max(this.highest, n)
    return n
  }

  #learnVersion(t: string, d: unknown): void {
    const { ver }: { ver?: unknown } = Object(d)
    if (t === 'settings' && typeof ver === 'number') this.version = Math.max(this.version, ver)
  }
}

function timed({ agoS = 0, ttlS = DEFAULT_TTL_S }: Pick<Order, 'agoS' | 'ttlS'>, now: number) {
  return { at: now - agoS, ttl: ttlS }
}

function frameOf({ t, id, n, at, ttl, d, order }: SentCommand, { seal: given }: Moment): Buffer {
  const body = { ...strip({ t, id, n, at, ttl, d }, order.without ?? []), ...order.with }
  if (order.raw !== undefined) return sealText(given, order.raw)
  if (order.spelled) return sealText(given, spelledOtherwise(body))
  if (order.forge) return forge(order.forge, given, body)
  return order.fillBytes === undefined ? seal(given, body) : filled(given, body, order.fillBytes)
}

/** Fields away: `id`, or `d.clips` for one of the body. */
function strip(body: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  const inner = paths.flatMap((path) => (path.startsWith('d.') ? [path.slice(2)] : []))
  const outer = Object.entries(body).filter(([name]) => !paths.includes(name))
  return Object.fromEntries(
    outer.map(([name, value]) =>
      name === 'd' && inner.length > 0 ? [name, strip(Object(value), inner)] : [name, value],
    ),
  )
}

/** An unknown field takes up what is missing; a frame that is larger by itself stays as it is. */
function filled(given: Seal, body: Record<string, unknown>, bytes: number): Buffer {
  const sizeWith = (pad: string) => publishBytes(downTopic(given.serial), seal(given, { ...body, pad }))
  // The fixed header grows by a byte at 128 and 16,384: the second look sees it.
  const first = Math.max(0, bytes - sizeWith(''))
  const pad = 'x'.repeat(Math.max(0, first - (sizeWith('x'.repeat(first)) - bytes)))
  return seal(given, { ...body, pad })
}
