import type { Outbox, Owner } from '../../announcements/ports.ts'
import type { Answer } from '../../devices/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { type Command, type CommandEnd, type CommandKind, Numbers } from './command.ts'
import type { Effect, Rules, Sent } from './effects.ts'
import type { Ack, CommandWriter, DeviceLink, Patiently, SessionIdentity, SessionRules } from './ports.ts'
import * as state from './state.ts'

/** How long what an act has read of an announcement stays good. A lock at another hub counts so much later. */
const RECENT_MS = 50

export interface SessionDeps {
  outbox: Pick<Outbox, 'nextNumber' | 'markSent' | 'isOpen'>
  patiently: Patiently
  /** Other hubs work on the same storage. */
  isShared?: boolean
  /** Another session owns the device. */
  lost(session: Session): void
  clock: Clock
  log: Logger
}

/**
 * One connection of a device, from its birth: sends commands in order, and sends them again. state.ts decides, and this
 * class does it. A class, because the hub keeps a session for each connected device: methods take no memory of each.
 */
export class Session implements SessionIdentity, Rules {
  readonly deviceId: string
  readonly serial: string
  readonly sessionId: string
  readonly keepaliveMs: number
  readonly login: string
  readonly numbers = new Numbers()
  /** What the screen shows, or what is on its way to it. */
  readonly screen: { bill?: string | undefined; profile?: string | undefined } = {}
  /** Set while the start of the session is read. It is stale if something has changed for the device since. */
  beginning: { isStale: boolean } | undefined
  /** When the device was last heard, by the clock's `elapsed`. */
  lastSeenAt: number
  readonly rules: SessionRules
  readonly clock: Clock
  readonly #writer: CommandWriter
  readonly #link: DeviceLink
  readonly #deps: SessionDeps
  readonly #state = state.newState()
  #bufferBytes = 0
  /** When something was withdrawn last, or ended by an ack that no command waits for. */
  #endedAt = 0
  #cancelNext: () => void = () => undefined

  constructor(
    identity: SessionIdentity,
    { writer, link, rules }: { writer: CommandWriter; link: DeviceLink; rules: SessionRules },
    deps: SessionDeps,
  ) {
    this.deviceId = identity.deviceId
    this.serial = identity.serial
    this.sessionId = identity.sessionId
    this.keepaliveMs = identity.keepaliveMs
    this.login = identity.login
    this.lastSeenAt = deps.clock.elapsed()
    this.rules = rules
    this.clock = deps.clock
    this.#writer = writer
    this.#link = link
    this.#deps = deps
  }

  /** As the storage takes it: a plain object. */
  get owner(): Owner {
    return { deviceId: this.deviceId, sessionId: this.sessionId }
  }

  isBorn(): boolean {
    return this.#state.phase === 'open' || this.#state.phase === 'held'
  }

  /** Nothing is in flight or queued: a command that is pushed now is sent at once. */
  isIdle(): boolean {
    return state.isIdle(this.#state, this)
  }

  /** Whether a command with this id is queued or sent. */
  has(commandId: string): boolean {
    return this.kindOf(commandId) !== undefined || this.#state.queue.some(({ id }) => id === commandId)
  }

  /** The kind of a command of this session that was sent and has not ended. */
  kindOf(commandId: string): CommandKind | undefined {
    return state.find(this.#state, commandId)?.command.body.kind
  }

  /**
   * Starts or restarts the session: the device was born, or is welcomed again. Drops all commands but verification
   * codes. `bufferBytes` is the receive buffer that the birth reported, and `numbers` are for the commands that come
   * first.
   */
  begin(bufferBytes = this.#bufferBytes, numbers: readonly number[] = []) {
    if (this.#state.phase === 'ended') return
    this.#bufferBytes = bufferBytes
    this.numbers.reserve(numbers)
    // A device that was born knows nothing of what it showed before.
    Object.assign(this.screen, { bill: undefined, profile: undefined })
    this.#run(state.begin(this.#state, this))
  }

  /** Drops commands as `begin` does, and stops sending until the next `begin`. */
  hold() {
    this.#run(state.hold(this.#state, this))
  }

  /** Queues a command. It is sent when its turn comes. It replaces older ones of its slot that were not sent. */
  push(command: Command) {
    this.#run(state.push(this.#state, command))
    // A command that had to wait may have ended meanwhile: the outbox is asked again at its turn.
    command.sentSince = undefined
  }

  /** Drops commands that are queued or sent. */
  withdraw(which: (command: Command, isSent: boolean) => boolean) {
    this.#endedAt = this.#deps.clock.now()
    this.#run(state.withdraw(this.#state, which, this))
  }

  /** Sends a command and waits for its end. After `withinMs` the command is withdrawn. */
  ask(command: Command, withinMs: number): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const onEnd = (end: CommandEnd) => {
      cancelTimeout()
      if (end.kind === 'done' || end.kind === 'failed') resolve(end)
      else resolve({ kind: this.isBorn() ? 'not_responding' : 'offline' })
    }
    const cancelTimeout = this.#deps.clock.after(withinMs, () => this.withdraw(({ id }) => id === command.id))
    this.push({ ...command, onEnd })
    return promise
  }

  /**
   * An ack arrived and is about to be stored: its command is not sent again until `ackStored`. False when a command with
   * this id was sent under another number: then the ack must be ignored. When the ack can't be stored, the connection
   * is closed.
   */
  ackArrived(ack: Ack): boolean {
    return state.ackArrived(this.#state, ack)
  }

  /** Moves a command forward after its ack was stored. False when no such command was sent in this session. */
  ackStored(ack: Ack): boolean {
    const effects = state.ackStored(this.#state, ack, this)
    // It may have ended an announcement that is about to be sent.
    if (effects === undefined) this.#endedAt = this.clock.now()
    this.#run(effects ?? [])
    return effects !== undefined
  }

  /** Ends the session. Nothing is sent any more. */
  end() {
    this.#cancelNext()
    this.#run(state.end(this.#state))
  }

  /** Closes the connection. */
  close() {
    this.#link.close()
  }

  #run(effects: readonly Effect[]) {
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect) {
    switch (effect.type) {
      case 'store':
        return void this.#store(effect.sent)
      case 'check':
        return void this.#check(effect.sent)
      case 'send':
        return this.#send(effect.sent)
      case 'wait':
        return this.#wait(effect.sent, effect.ms)
      case 'cancel':
        return effect.sent.cancelTimer()
      case 'received':
        return effect.command.onReceived?.()
      case 'ended':
        return effect.command.onEnd?.(effect.end)
      case 'next':
        return this.#run(state.next(this.#state, this))
      case 'nextLater':
        this.#cancelNext()
        this.#cancelNext = this.clock.after(effect.ms, () => this.#run(state.next(this.#state, this)))
        return
      case 'reset':
        return this.#link.reset()
    }
  }

  /**
   * Stores a command's number, and that an announcement is sent, before it is sent.
   *
   * Why before: if we sent first and crashed before storing `sent`, the next birth would see a queued announcement
   * below `played`, renumber it as after a restore, and the speaker would say it twice. An announcement whose own commit
   * stored it as sent needs no second commit when it leaves at once.
   *
   * Why `isOpen` is asked when that act began too long ago, or something was withdrawn since: the device may have been locked
   * or released. A frozen hub finds the answer of its act late.
   * Held by test/server/delivery/sent-before.test.ts.
   */
  async #store(sent: Sent) {
    const { outbox, patiently, lost, clock, log } = this.#deps
    const { id, body, isValid, commandNumber: given, sentSince } = sent.command
    const isAnnouncement = body.kind === 'announce'
    const since = sentSince ?? clock.now()
    try {
      const n = given ?? this.numbers.takeReserved() ?? (await patiently(() => this.#nextNumber()))
      const isStored = sentSince !== undefined || !isAnnouncement
      const stored = isStored ? 'sent' : await patiently(() => outbox.markSent(id, this.owner, since))
      if (n === undefined || stored === 'not_owner') return lost(this)
      const isOpen = this.#isRecent(since) ? undefined : () => outbox.isOpen(id)
      const check = isAnnouncement ? isOpen : isValid && (() => isValid(false))
      const maySend = stored === 'sent' && (!check || (await patiently(check)))
      this.#run(state.stored(this.#state, sent, maySend ? n : undefined, this))
    } catch (error) {
      // Without a durable record nothing may be sent. The next birth sends the device's state again.
      if (!isUnavailable(error))
        log.error({ ...this.#logged(sent), err: error }, 'a command could not be stored as sent')
      this.close()
    }
  }

  /** No later act has ended what an act of `since` has stored, or only just now. */
  #isRecent(since: number): boolean {
    const now = this.#deps.clock.now()
    return this.#endedAt < since && since <= now && now <= since + RECENT_MS
  }

  async #nextNumber(): Promise<number | undefined> {
    const n = await this.#deps.outbox.nextNumber(this.owner)
    if (n !== undefined) this.numbers.given(n)
    return n
  }

  /** The device may have been locked or released since: a notice would name payments of its owner before. */
  async #check(sent: Sent) {
    const { outbox, isShared } = this.#deps
    const { id, body, isValid } = sent.command
    // Another hub may have done it, and its wake-up may be lost.
    const check = isShared && body.kind === 'announce' ? () => outbox.isOpen(id) : isValid
    const found = check ? await check(true).catch(() => undefined) : true
    this.#run(state.checked(this.#state, sent, found, this))
  }

  #send(sent: Sent) {
    const { clock, log } = this.#deps
    const { commandNumber = 0, id, body, expiresAt } = sent.command
    const rx = this.#bufferBytes
    const sending = { id, commandNumber, body, expiresAt }
    const message = this.#writer.write(sending, clock.now(), rx)
    if (message === 'done') return this.#run(state.finish(this.#state, sent, { kind: 'done' }))
    if ('failed' in message) {
      log.warn({ ...this.#logged(sent), why: message.failed, rx }, 'does not fit the device')
      return this.#run(state.finish(this.#state, sent, { kind: 'failed', reason: message.failed }))
    }
    const bytes = message.payload.length
    log.debug({ ...this.#logged(sent), n: commandNumber, bytes, resend: sent.resends }, 'sent')
    this.#link.publish(message, sending)
  }

  #wait(sent: Sent, ms: number) {
    // It did not fit the device.
    if (sent.phase === 'ended') return
    const over = () => this.#run(state.timeOver(this.#state, sent, this))
    sent.cancelTimer = this.#deps.clock.after(ms, over)
  }

  /** Not a child logger: each connected device would keep one. */
  #logged({ command: { id, body } }: Sent) {
    return { serial: this.serial, sid: this.sessionId, command: body.kind, id }
  }
}
