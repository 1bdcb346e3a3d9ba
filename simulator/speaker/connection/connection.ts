import { bytesOf, textOf, toBase64url } from '#platform'
import { publishBytes, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { type DeviceKeys, deriveKeys } from '../../../protocol/keys.ts'
import { type UpKind, upTopic } from '../../../protocol/topics.ts'
import type { Clock } from '../../platform/clock.ts'
import type { UpMessage } from '../device/state/effects.ts'
import type { LinkEnd } from '../device/state/events.ts'
import type { Keyring } from '../memory/memory.ts'
import { refusedDelayMs, retryDelayMs } from './backoff.ts'
import { type Incoming, readIncoming } from './incoming.ts'
import { createKeyChoice, type KeyChoice } from './key-choice.ts'
import { describeBody, type MessageNote, type PacketNote } from './packets.ts'
import { type Dial, Session } from './session.ts'

/** How long an attempt may take from its start to the SUBACK (sb/1 1.8). */
const ANSWER_TIMEOUT_MS = 30_000
/** How long the speaker waits for the welcome after its birth (sb/1 10.2). */
const WELCOME_TIMEOUT_MS = 30_000
/** How long it waits for the next PUBACK of its acks (sb/1 7.26). */
const PUBACK_TIMEOUT_MS = 60_000

const CUT = 'the network is cut'

/** What the connection tells the speaker. */
export type LinkEvent =
  | { type: 'connecting' }
  | { type: 'opened'; sid: string; key: string }
  | { type: 'closed'; end: LinkEnd; retryInMs: number | undefined }
  | Incoming
  | { type: 'ack_stored'; token: number }
  | { type: 'packet'; note: PacketNote }

export interface ConnectionOptions {
  serial: string
  /** The keys that it may connect with, as they are now. */
  keyring: () => Keyring
  url: string
  clock: Clock
  /** [0, 1), for the jitter. */
  random: () => number
  newSid: () => string
  /** The delay of the next packet in either direction, in milliseconds. */
  delayMs: () => number
  /** Give up when the hub refuses the very first login. */
  stopWhenRefused: boolean
  /** Opens the line to the hub in place of a socket. */
  dial?: Dial | undefined
  listener: (event: LinkEvent) => void
}

/** The speaker's link to the hub: reconnects, seals outgoing messages, opens incoming frames. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #keyChoice: KeyChoice
  #session: { sid: string; keys: DeviceKeys; line: Session; unconfirmedAcks: number } | undefined
  /** Failed attempts since the last welcome. */
  #failures = 0
  #everWelcomed = false
  /** Whether the speaker wants a link at all. */
  #wanted = false
  /** A reconnect is waiting for its `bye`. Stopping or cutting in the meantime cancels it. */
  #reconnecting = false
  #cancelTimer = () => {}

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#keyChoice = createKeyChoice(options.keyring)
  }

  start(): void {
    if (this.#wanted) return
    // A session that is ending would take the new one for itself.
    if (this.#session) return void this.reconnect()
    this.#wanted = true
    this.#failures = 0
    this.#keyChoice.restart()
    this.#connect()
  }

  /** Sends `bye`, disconnects and does not retry. */
  stop(): Promise<void> {
    return this.#close('switched off')
  }

  /** Ends the session, if any, and connects again at once. */
  async reconnect(): Promise<void> {
    const closed = this.#close('it connects anew')
    this.#reconnecting = true
    await closed
    if (this.#reconnecting) this.start()
  }

  /** Cuts the network: sends no `bye` and does not retry until `start`. */
  cut(reason = CUT): Promise<void> {
    return this.#end(reason, async (line) => line.drop(reason))
  }

  /** Seals the message for the current session and sends it; drops it when there is no session. */
  publish(message: UpMessage): void {
    const session = this.#session
    if (!session) return
    const { sid, keys } = session
    const { serial, listener } = this.#options
    const { kind, body } = message
    const payload =
      kind === 'telemetry'
        ? bytesOf(JSON.stringify(body))
        : sealFrame(keys.up, upPrefix(serial, sid, kind), body)
    this.#noteOut(kind, payload, body)
    const { token } = message.kind === 'ack' ? message : {}
    if (token !== undefined) this.#awaitPuback(session, 1)
    session.line.publish(kind, payload, () => {
      if (token === undefined) return
      this.#awaitPuback(session, -1)
      listener({ type: 'ack_stored', token })
    })
  }

  /** An ack was sent (1) or confirmed (-1). Each confirmation starts the time anew, while others are missing. */
  #awaitPuback(session: { unconfirmedAcks: number }, change: 1 | -1): void {
    session.unconfirmedAcks += change
    if (session.unconfirmedAcks === 0) this.#cancelTimer()
    else if (change === -1 || session.unconfirmedAcks === 1)
      this.#dropAfter(PUBACK_TIMEOUT_MS, 'confirmed no ack')
  }

  #connect(): void {
    const { serial, url, newSid, clock, delayMs, dial, listener } = this.#options
    this.#cancelTimer()
    const sid = newSid()
    const key = this.#keyChoice.pick()
    const keys = deriveKeys(key)
    listener({ type: 'connecting' })
    const line = new Session(
      { serial, keys, url, sid, clock, delayMs, dial },
      {
        packet: (direction, packet) => listener({ type: 'packet', note: { direction, packet } }),
        opened: () => this.#opened(sid, key),
        byeSent: (payload) => this.#noteOut('will', payload, {}),
        message: (payload) => this.#receive({ sid, keys }, payload),
        ended: (end) => this.#ended(end),
      },
    )
    this.#session = { sid, keys, line, unconfirmedAcks: 0 }
    this.#dropAfter(ANSWER_TIMEOUT_MS, 'did not answer')
  }

  /** Ends a session in which the hub has not gone on in time. */
  #dropAfter(ms: number, what: string): void {
    const { clock } = this.#options
    this.#cancelTimer()
    const drop = () => this.#session?.line.drop(`the hub ${what} within ${ms / 1000} s`)
    this.#cancelTimer = clock.wakeAt(clock.now() + ms, drop)
  }

  #opened(sid: string, key: Uint8Array): void {
    this.#keyChoice.admitted()
    this.#dropAfter(WELCOME_TIMEOUT_MS, 'sent no welcome')
    this.#options.listener({ type: 'opened', sid, key: toBase64url(key) })
  }

  #ended(end: LinkEnd): void {
    this.#cancelTimer()
    this.#session = undefined
    this.#options.listener({
      type: 'closed',
      end,
      retryInMs: this.#planRetry(end),
    })
  }

  #planRetry(end: LinkEnd): number | undefined {
    const { random, stopWhenRefused } = this.#options
    const hasOtherKey = end.code === 4 && this.#keyChoice.refused()
    if (hasOtherKey && this.#wanted) return this.#retryIn(0)
    if (stopWhenRefused && end.code !== undefined && !this.#everWelcomed) this.#wanted = false
    if (!this.#wanted) return undefined
    this.#failures += 1
    const delayMs = end.code === undefined ? retryDelayMs(this.#failures, random) : refusedDelayMs(random)
    return this.#retryIn(delayMs)
  }

  #retryIn(delayMs: number): number {
    const { clock } = this.#options
    this.#cancelTimer = clock.wakeAt(clock.now() + delayMs, () => this.#connect())
    return delayMs
  }

  #receive({ sid, keys }: { sid: string; keys: DeviceKeys }, payload: Uint8Array): void {
    const { serial, listener } = this.#options
    const { bytes, body, incoming } = readIncoming(keys.down, { serial, sid }, payload)
    this.#note('in', { topic: 'down', bytes, frame: textOf(payload), ...describeBody(body) })
    if (incoming.type === 'command' && incoming.command.t === 'welcome') this.#welcomed()
    listener(incoming)
  }

  /**
   * Only a welcome shows that the hub works. If an open connection reset the backoff, a failing hub would face a storm
   * of retries (sb/1 13.3).
   */
  #welcomed(): void {
    // A repeat must not stop the time of an ack. Before the first welcome no ack is sent.
    if (this.#session?.unconfirmedAcks === 0) this.#cancelTimer()
    this.#failures = 0
    this.#everWelcomed = true
  }

  #noteOut(kind: UpKind, payload: Uint8Array, body: unknown): void {
    const bytes = publishBytes(upTopic(this.#options.serial, kind), payload)
    this.#note('out', { topic: kind, bytes, frame: textOf(payload), ...describeBody(body) })
  }

  #note(direction: 'in' | 'out', message: MessageNote): void {
    this.#options.listener({ type: 'packet', note: { direction, packet: 'publish', message } })
  }

  /** Ends the session and plans no retry. Also reports `closed` when only a retry was planned. */
  #close(reason: string): Promise<void> {
    return this.#end(reason, (line) => line.close(reason))
  }

  async #end(reason: string, end: (line: Session) => Promise<void>): Promise<void> {
    this.#wanted = false
    this.#reconnecting = false
    this.#cancelTimer()
    if (this.#session) await end(this.#session.line)
    else this.#options.listener({ type: 'closed', end: { reason }, retryInMs: undefined })
  }
}
