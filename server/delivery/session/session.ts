import { isUnavailable } from '../../platform/errors.ts'
import { type Command, type CommandEnd, slotOf } from './command.ts'
import { dequeue, drop, enqueue, removeAll } from './command-queue.ts'
import type { CommandWriter, DeviceLink, Session, SessionDeps, SessionIdentity } from './ports.ts'

/** A command that has left the queue. */
interface Sent {
  command: Command
  /** Undefined until number and sending are stored: then it is sent for the first time. */
  commandNumber: number | undefined
  /** When it was first sent, by the clock's `elapsed`. */
  firstAt: number
  resends: number
  received: boolean
  /** Acks that are being stored. */
  acksUnderWay: number
  cancelTimer: () => void
}

export function createSession(
  identity: SessionIdentity,
  { writer, link }: { writer: CommandWriter; link: DeviceLink },
  deps: SessionDeps,
): Session {
  const { outbox, patiently, pacing, proof, isShared, clock, log, lost } = deps
  const { serial, sessionId } = identity
  // Not a child logger: each connected device would keep one.
  const who = { serial, sid: sessionId }
  let state: 'unborn' | 'open' | 'held' | 'ended' = 'unborn'
  let bufferBytes = 0
  /** Numbers that are stored as given and that no command has yet. */
  let spare: number[] = []
  /** Given numbers above one that is not known. */
  let ahead: readonly number[] = []
  const screen: Session['screen'] = { bill: undefined, profile: undefined }
  const queue: Command[] = []
  const sent = new Map<string, Sent>()
  /** The command that blocks the queue until the device has received it: one at a time (sb/1 7.2). */
  let inFlight: Sent | undefined

  function pump() {
    while (state === 'open' && inFlight === undefined) {
      const mayAnnounce = !isAnnouncementPending()
      const deadline = clock.now() + pacing.leastTimeToLiveMs
      const next = dequeue(queue, deadline, ({ body }) => mayAnnounce || body.kind !== 'announce')
      if (!next) return
      const none = { commandNumber: undefined, firstAt: 0, resends: 0, received: false, acksUnderWay: 0 }
      inFlight = { command: next, ...none, cancelTimer: () => undefined }
      sent.set(next.id, inFlight)
      void prepare(inFlight, next.alreadySent ?? false)
    }
  }

  /**
   * Whether the device has not received an announcement that was sent. No later one may overtake it: the device would
   * take its lower number for a repeat, and answer "played" for an announcement that nobody has heard.
   */
  function isAnnouncementPending(): boolean {
    for (const { command, received } of sent.values())
      if (command.body.kind === 'announce' && !received) return true
    return false
  }

  /**
   * Stores a command's number, and that an announcement is sent, before it is sent.
   *
   * Why before: if we sent first and crashed before storing `sent`, the next birth would see a queued announcement
   * below `played`, renumber it as after a restore, and the speaker would say it twice. An announcement whose own commit
   * stored it as sent needs no second commit when it leaves at once.
   *
   * Why the last look with `isOpen`: the commits of one moment are answered one after another, and a later one may have
   * locked or released the device already.
   * Held by test/server/delivery/sent-before.test.ts.
   */
  async function prepare(entry: Sent, alreadySent: boolean) {
    const { id, body, isRight, commandNumber: given } = entry.command
    try {
      const commandNumber = given ?? spare.shift() ?? (await patiently(nextNumber))
      const isStored = alreadySent || body.kind !== 'announce'
      const stored = isStored ? 'sent' : await patiently(() => outbox.markSent(id, identity, clock.now()))
      if (commandNumber === undefined || stored === 'not_owner') return lost(session)
      const look = body.kind === 'announce' ? () => outbox.isOpen(id) : isRight && (() => isRight(false))
      const maySend = stored === 'sent' && (!look || (await patiently(look)))
      // Withdrawn or started over meanwhile: the number stays unused.
      if (sent.get(id) !== entry) return
      if (!maySend) return finish(entry, { kind: 'dropped' })
      entry.commandNumber = commandNumber
      // A code that `begin` keeps is sent again under the same number (sb/1 6.1).
      entry.command.commandNumber = commandNumber
      entry.firstAt = clock.elapsed()
      transmit(entry, commandNumber)
    } catch (error) {
      // Without a durable record nothing may be sent. The next birth sends the device's state again.
      if (!isUnavailable(error))
        log.error({ ...who, err: error, command: body.kind }, 'a command could not be stored as sent')
      link.close()
    }
  }

  async function nextNumber(): Promise<number | undefined> {
    const n = await outbox.nextNumber(identity)
    if (n !== undefined) learn(n)
    return n
  }

  /** The answers of one commit may come in any order: a lower number may follow. */
  function learn(n: number): boolean {
    ahead = [...ahead, n]
    knowAll(session.knownNumber)
    return n <= session.knownNumber
  }

  function knowAll(n: number) {
    let known = Math.max(session.knownNumber, n)
    while (ahead.includes(known + 1)) known += 1
    ahead = ahead.filter((one) => one > known)
    session.knownNumber = known
  }

  function transmit(entry: Sent, commandNumber: number) {
    const { id, body, expiresAt } = entry.command
    const now = clock.now()
    if (expiresAt - now < pacing.leastTimeToLiveMs)
      return entry.resends === 0 ? finish(entry, { kind: 'dropped' }) : runOut(entry)
    const message = writer.write({ id, commandNumber, body, expiresAt }, now, bufferBytes)
    if (!message) {
      log.warn({ ...who, command: body.kind, id, rx: bufferBytes }, 'does not fit the device')
      return finish(entry, { kind: 'failed', reason: 'too_large' })
    }
    log.debug(
      { ...who, command: body.kind, id, n: commandNumber, bytes: message.length, resend: entry.resends },
      'sent',
    )
    link.publish(message)
    scheduleResend(entry, commandNumber)
  }

  function scheduleResend(entry: Sent, commandNumber: number) {
    const dueAfter = pacing.resendAfterMs[entry.resends]
    if (dueAfter === undefined) return scheduleYield(entry)
    entry.cancelTimer = clock.after(entry.firstAt + dueAfter - clock.elapsed(), () => {
      entry.resends += 1
      if (entry.acksUnderWay > 0) scheduleResend(entry, commandNumber)
      else void transmitAgain(entry, commandNumber)
    })
  }

  /** The device may have been locked or released since: a notice would name payments of its owner before. */
  async function transmitAgain(entry: Sent, commandNumber: number) {
    const { id, body, isRight } = entry.command
    // Another hub may have done it, and its wake-up may be lost.
    const look = isShared && body.kind === 'announce' ? () => outbox.isOpen(id) : isRight
    if (!look) return transmit(entry, commandNumber)
    const found = await look(true).catch(() => undefined)
    if (sent.get(id) !== entry) return
    if (found === false) finish(entry, { kind: 'dropped' })
    else if (found && entry.acksUnderWay === 0) transmit(entry, commandNumber)
    else scheduleResend(entry, commandNumber)
  }

  /** After the last resend the next class may go. A late ack still counts until the command expires. */
  function scheduleYield(entry: Sent) {
    entry.cancelTimer = clock.after(entry.firstAt + pacing.yieldAfterMs - clock.elapsed(), () => {
      entry.cancelTimer = clock.after(entry.command.expiresAt - clock.now(), () => runOut(entry))
      freeWindow(entry)
    })
  }

  /**
   * A command has expired. An announcement that got no answer to all its sendings was not heard. One that was sent only
   * just in time may be playing: the sweep gives its ack more time, and the next announcement waits a while for that
   * ack. Why: a power cut while the next one sounds would leave a `played` that does not prove this one.
   */
  function runOut(entry: Sent) {
    if (entry.command.body.kind !== 'announce' || entry.received) return finish(entry, { kind: 'dropped' })
    const waitsMs = entry.firstAt + pacing.yieldAfterMs - clock.elapsed()
    if (waitsMs <= 0) return finish(entry, { kind: 'unheard' })
    entry.cancelTimer = clock.after(waitsMs, () => finish(entry, { kind: 'dropped' }))
  }

  function finish(entry: Sent, end: CommandEnd) {
    entry.cancelTimer()
    sent.delete(entry.command.id)
    entry.command.onEnd?.(end)
    freeWindow(entry)
  }

  /** The next command may go, if it waited for this one. */
  function freeWindow(entry: Sent) {
    if (inFlight === entry) inFlight = undefined
    pump()
  }

  /** Removes and returns all commands, sent and queued. */
  function clear(): Command[] {
    for (const entry of sent.values()) entry.cancelTimer()
    const all = [...[...sent.values()].map(({ command }) => command), ...queue]
    sent.clear()
    queue.length = 0
    inFlight = undefined
    return all
  }

  function dropAllButCodes() {
    const all = clear()
    queue.push(...all.filter(({ body }) => body.kind === 'code'))
    drop(all.filter(({ body }) => body.kind !== 'code'))
  }

  const session: Session = {
    ...identity,
    knownNumber: 0,
    screen,
    beginning: undefined,
    lastSeenAt: clock.elapsed(),
    isBorn: () => state === 'open' || state === 'held',
    learn,
    knowAll,
    isIdle: () =>
      state === 'open' && inFlight === undefined && queue.length === 0 && !isAnnouncementPending(),

    begin(reportedBytes = bufferBytes, numbers = []) {
      if (state === 'ended') return
      state = 'open'
      spare = [...numbers]
      knowAll(Math.max(session.knownNumber, ...numbers))
      bufferBytes = reportedBytes
      // A device that was born knows nothing of what it showed before.
      Object.assign(screen, { bill: undefined, profile: undefined })
      dropAllButCodes()
    },

    hold() {
      if (state === 'open') state = 'held'
      dropAllButCodes()
    },

    push(command) {
      if (state === 'ended') return drop([command])
      enqueue(queue, command)
      // A command that waits for its number was not sent yet: it is replaced as in the queue.
      const unsent = inFlight?.commandNumber === undefined ? inFlight : undefined
      const slot = slotOf(command)
      if (unsent && slot !== undefined && slotOf(unsent.command) === slot) finish(unsent, { kind: 'dropped' })
      pump()
      // A command that had to wait may have ended meanwhile: the outbox is asked again at its turn.
      command.alreadySent = false
    },

    has: (id) => sent.has(id) || queue.some((command) => command.id === id),

    kindOf: (id) => sent.get(id)?.command.body.kind,

    withdraw(which) {
      drop(removeAll(queue, (command) => which(command, false)))
      for (const entry of [...sent.values()])
        if (which(entry.command, entry.commandNumber !== undefined)) finish(entry, { kind: 'dropped' })
    },

    ackArrived({ commandId, commandNumber }) {
      const entry = sent.get(commandId)
      if (entry?.commandNumber === commandNumber) entry.acksUnderWay += 1
      return entry?.commandNumber === undefined || entry.commandNumber === commandNumber
    },

    ackStored({ commandId, commandNumber, stage, reason }) {
      const entry = sent.get(commandId)
      if (entry?.commandNumber !== commandNumber) return false
      // An ack that came before a new birth was not counted with the commands that were sent since.
      if (entry.acksUnderWay > 0) entry.acksUnderWay -= 1
      if (stage === 'failed') finish(entry, { kind: 'failed', reason: reason ?? 'unsupported' })
      else if (stage === proof[entry.command.body.kind]) finish(entry, { kind: 'done' })
      else {
        entry.received = true
        entry.command.onReceived?.()
        freeWindow(entry)
      }
      return true
    },

    end() {
      if (state === 'ended') return
      state = 'ended'
      drop(clear())
    },

    close: () => link.close(),
  }
  return session
}
