import type { Delivery } from '../delivery/delivery.ts'
import { Breach, type Codec, type Dialect, type Heard, type Subscription } from '../delivery/dialect.ts'
import type { SessionIdentity, SessionRules } from '../delivery/session/ports.ts'
import type { Session } from '../delivery/session/session.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { createTokenBucket, type TokenBucket } from '../platform/token-buckets.ts'
import type { Standing } from './hand-over.ts'
import { createLink, type Link, type Published, type Wire } from './link.ts'

/**
 * From the CONNACK to the birth (sb/1 4.2). A device may wait 30 s for the CONNACK and 30 s for the SUBACK (sb/1 1.8); it
 * sends its birth at once after it.
 */
export const BIRTH_TIMEOUT_MS = 60_000

/** A device that says nothing of itself is ready for its first message so long after what begins its session. */
const READY_AFTER_MS = 1_000

/** Births of one session: each has the hub send its whole state again. A device needs one. */
const BIRTHS = { perSecond: 1, burst: 10 } as const

/** Amounts that are keyed in at one device: each may take a bill. Nobody keys faster. */
const KEYED = { perSecond: 1, burst: 1 } as const

const NOTHING = () => undefined

/** An admitted connection. Its carrier reports here what happens on it. */
export interface Connection {
  /** False for a breach: the gate closes the connection. */
  subscribe(subscription: Subscription): boolean
  /**
   * Resolves to true when what the packet says is stored; its PUBACK is then on its way. Resolves to false when the
   * gate closes the connection instead.
   */
  publish(packet: Published): Promise<boolean>
  /** The device has sent a PUBACK. */
  confirmed(messageId: number): void
  ping(): void
  /** The connection has ended. May be called more than once. */
  closed(): void
}

export interface ConnectionDeps {
  delivery: Pick<Delivery, 'open' | 'receive' | 'leave'>
  clock: Clock
  metrics: { mqttRefused(reason: string): void }
  log: Logger
}

/** A device whose CONNECT was admitted. */
export interface Admitted {
  identity: SessionIdentity
  codec: Codec
  rules: SessionRules
  /** Without it, every subscription is accepted: nothing is routed by it. */
  maySubscribe?: Dialect['maySubscribe']
}

/** The connection of an admitted device. A class, because the hub keeps one for each: methods take no memory of each. */
export class DeviceConnection implements Connection, Standing {
  readonly gone: Promise<void>
  readonly #deps: ConnectionDeps
  readonly #wire: Wire
  readonly #admitted: Admitted
  readonly #link: Link
  readonly #session: Session
  readonly #births: TokenBucket
  /** Few devices have a keypad. */
  #keyed: TokenBucket | undefined
  /** The device has subscribed to its commands. */
  #isSubscribed = false
  /** The birth while it is being recorded, or the one before. Never rejects. Packets behind it wait for it. */
  #lastBirth: Promise<unknown> = Promise.resolve()
  #stopBirthTimer: () => void
  #stopPing: () => void = NOTHING
  readonly #onGone: () => void
  /** `cut`: the gate has closed it, and said why. `closed`: it has ended. */
  #phase: 'open' | 'cut' | 'closed' = 'open'

  constructor(deps: ConnectionDeps, admitted: Admitted, wire: Wire, onGone: () => void) {
    const { delivery, clock, log } = deps
    const { identity, codec, rules } = admitted
    const { promise, resolve } = Promise.withResolvers<void>()
    this.gone = promise
    this.#onGone = () => {
      onGone()
      resolve()
    }
    this.#deps = deps
    this.#wire = wire
    this.#admitted = admitted
    const onSlow = (why: string) => void this.#cut('slow_reader', why)
    this.#link = createLink(wire, { clock, tracksConfirms: codec.confirmed !== undefined, onSlow })
    this.#session = delivery.open(identity, { writer: codec, link: this.#link, rules })
    log.info(this.#who(), 'device connected')
    this.#births = createTokenBucket(clock, BIRTHS)
    this.#stopBirthTimer = clock.after(BIRTH_TIMEOUT_MS, () => this.#cut('no_birth', 'no birth in time'))
    if (rules.birth === 'connect') this.#beginSoon()
  }

  isIdle(): boolean {
    return this.#session.isIdle()
  }

  close() {
    this.#link.close()
  }

  subscribe(subscription: Subscription): boolean {
    const { maySubscribe, rules, codec } = this.#admitted
    const { refused } = maySubscribe?.(this.#session.serial, subscription) ?? {}
    if (refused !== undefined) return this.#refuse(new Breach(refused))
    codec.subscribed?.(subscription.topic)
    if (rules.birth === 'subscribe' && !this.#isSubscribed) this.#beginSoon()
    this.#isSubscribed = true
    return true
  }

  async publish(packet: Published): Promise<boolean> {
    const confirm = this.#link.received(packet)
    try {
      if (packet.qos > 1) throw new Breach('QoS 2, and the broker keeps no packet')
      await this.#hear(() => this.#admitted.codec.read(packet))
      confirm()
      return true
    } catch (error) {
      return this.#refuse(error)
    }
  }

  confirmed(messageId: number) {
    const { codec } = this.#admitted
    const sending = this.#link.confirmed(messageId)
    if (sending)
      this.#hear(() => codec.confirmed?.(sending) ?? { kind: 'ignored' }).catch((error) =>
        this.#refuse(error),
      )
  }

  ping() {
    this.#session.lastSeenAt = this.#deps.clock.elapsed()
  }

  closed() {
    if (this.#phase === 'closed') return
    this.#phase = 'closed'
    this.#stopBirthTimer()
    this.#stopPing()
    this.#onGone()
    this.#deps.delivery.leave(this.#session)
    this.#deps.log.info(this.#who(), 'device disconnected')
  }

  async #hear(read: () => Heard): Promise<void> {
    const { delivery, clock } = this.#deps
    const fresh = clock.fresh?.()
    if (fresh !== undefined) await fresh
    const heard = read()
    this.#session.lastSeenAt = clock.elapsed()
    // Without an answer, the person keys it in again.
    if (heard.kind === 'keyed' && !this.#mayKey()) return
    for (const answer of heard.answers ?? []) this.#link.publish(answer)
    if (heard.kind === 'born') return this.#recordBirth(heard)
    await this.#lastBirth
    if (await delivery.receive(this.#session, heard)) this.#wire.expect(1)
    // Its session has ended. A box that is still there must connect again.
    if (heard.kind === 'gone' && this.#isBox()) this.close()
  }

  #isBox(): boolean {
    return this.#admitted.rules.birth !== 'message'
  }

  #mayKey(): boolean {
    this.#keyed ??= createTokenBucket(this.#deps.clock, KEYED)
    return this.#keyed.take().allowed
  }

  async #recordBirth(heard: Heard): Promise<void> {
    if (!this.#isSubscribed && this.#admitted.rules.birth !== 'connect')
      throw new Breach('birth: before the subscription')
    if (!this.#births.take().allowed) throw new Breach('birth: too many')
    this.#stopBirthTimer()
    // The timer's memory is needed no longer: the connection may stay for months.
    this.#stopBirthTimer = NOTHING
    // One after another: the PUBACK to a birth means that the session has begun.
    const recorded = this.#lastBirth.then(() => this.#deps.delivery.receive(this.#session, heard))
    this.#lastBirth = recorded.catch(NOTHING)
    await recorded
  }

  /** Says in the device's place that its session begins. */
  #beginSoon() {
    const { clock } = this.#deps
    this.#stopBirthTimer()
    this.#stopBirthTimer = clock.after(READY_AFTER_MS, () => {
      const born = this.#admitted.codec.born?.()
      if (born) this.#recordBirth({ kind: 'born', born }).catch((error) => this.#refuse(error))
      this.#pingLater()
    })
  }

  #pingLater() {
    const { ping } = this.#admitted.codec
    if (!ping) return
    this.#stopPing = this.#deps.clock.after(ping.everyMs, () => {
      this.#link.publish(ping.message())
      this.#pingLater()
    })
  }

  #cut(reason: string, why: string): false {
    // What comes behind a breach, and what the end of the connection still brings, is one story.
    if (this.#phase === 'open') {
      this.#phase = 'cut'
      this.#deps.metrics.mqttRefused(reason)
      this.#deps.log.warn({ ...this.#who(), why }, 'connection closed')
    }
    this.#link.close()
    return false
  }

  #refuse(error: unknown): false {
    if (error instanceof Breach) return this.#cut('breach', error.message)
    if (!isUnavailable(error))
      this.#deps.log.error({ ...this.#who(), err: error }, 'a packet could not be taken in')
    return this.#cut('unavailable', 'the hub is unavailable')
  }

  #who() {
    const { serial, sessionId } = this.#session
    return { serial, sid: sessionId, address: this.#wire.address }
  }
}
