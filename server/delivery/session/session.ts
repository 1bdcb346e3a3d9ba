import { FINAL_STAGE } from '../../../protocol/messages/command.ts'
import type { DeviceLink } from '../ports.ts'
import { type CommandEnd, type FrameTarget, type Outgoing, writeFrame } from './command.ts'
import { addWaiting, LEAST_TTL_MS, takeAll, takeNext } from './command-queue.ts'
import type { Session, SessionDeps, SessionIdentity } from './session-interface.ts'

/**
 * A command is sent again this long after its first sending, until its last stage. MQTT does not resend on a
 * live connection: this does (sb/1 7.3).
 */
const RESEND_AT_MS = [3_000, 6_000, 12_000] as const
/** A command that stays unanswered this long after its first sending no longer holds up other classes (sb/1 7.3). */
const YIELD_AT_MS = 15_000

interface Sent {
  command: Outgoing
  n: number
  /** When it was first sent, by the clock's `elapsed`. */
  firstAt: number
  resends: number
  received: boolean
  /** Acks that are being stored. */
  acksUnderWay: number
  cancelTimer: () => void
}

export function createSession(identity: SessionIdentity, link: DeviceLink, deps: SessionDeps): Session {
  const { outbox, clock } = deps
  const log = deps.log.child({ serial: identity.serial, sid: identity.sid })
  const target: FrameTarget = { ...identity, rx: 0 }
  let state: 'unborn' | 'open' | 'ended' = 'unborn'
  let isHeld = false
  const screen: Session['screen'] = { bill: undefined, profile: undefined }
  const waiting: Outgoing[] = []
  const sent = new Map<string, Sent>()
  /** The command whose `received` the window waits for: one at a time (sb/1 7.2). */
  let inFlight: string | undefined
  /** The command in flight while its number, and that it is sent, are being put on record. */
  let preparing: Outgoing | undefined
  /** The command that is being pushed. */
  let arriving: Outgoing | undefined

  function pump() {
    while (state === 'open' && !isHeld && inFlight === undefined) {
      const mayAnnounce = !isAnnouncementPending()
      const next = takeNext(waiting, clock.now(), (command) => mayAnnounce || command.t !== 'announce')
      if (!next) return
      inFlight = next.id
      void prepare(next, next === arriving && next.noted)
    }
  }

  /**
   * Whether an announcement is out that the device has not received. No later one may overtake it: the device
   * would then take its lower number for a repeat, and answer "played" for what nobody has heard.
   */
  function isAnnouncementPending(): boolean {
    for (const { command, received } of sent.values()) if (command.t === 'announce' && !received) return true
    return false
  }

  /**
   * Gives a command its number, and notes an announcement as sent, before it is.
   *
   * Why before: what is on record as queued must never have left. Were it noted afterwards, a hub that is killed
   * between the two would take an announcement that was spoken for one that a backup has brought back, and number
   * it anew: it would be spoken twice. And what has ended while it waited for its turn is not said any more. What was
   * noted in the commit that has made it needs neither, when it leaves in the moment in which it comes.
   *
   * Why one more look at the record: commits of one moment are answered one after another, and behind the one that
   * has noted it the next may have locked or released the device already.
   * Held by test/server/delivery/sent-before.test.ts.
   */
  async function prepare(command: Outgoing, isNoted: boolean) {
    preparing = command
    try {
      const n = command.n ?? (await outbox.nextNumber(identity.deviceId))
      const mayLeave = command.t !== 'announce' || (await mayBeSaid(command.id, isNoted))
      // Withdrawn or started over meanwhile: the number is left unused.
      if (preparing !== command) return
      preparing = undefined
      if (mayLeave) send(command, n)
      else drop(command)
    } catch (error) {
      // Without a durable record nothing may be sent; the device's next birth brings the state again.
      log.error({ err: error, command: command.t }, 'a command could not be noted as sent')
      link.close()
    }
  }

  async function mayBeSaid(announcementId: string, isNoted: boolean): Promise<boolean> {
    if (!isNoted && !(await outbox.markSent(announcementId, clock.now()))) return false
    return outbox.isOpen(announcementId)
  }

  /** Ends the command in flight unsent: its announcement was acked in an older session, locked or released. */
  function drop(command: Outgoing) {
    inFlight = undefined
    command.onEnd?.({ kind: 'dropped' })
    pump()
  }

  function send(command: Outgoing, n: number) {
    const one: Sent = {
      command,
      n,
      firstAt: clock.elapsed(),
      resends: 0,
      received: false,
      acksUnderWay: 0,
      cancelTimer: () => undefined,
    }
    sent.set(command.id, one)
    transmit(one)
  }

  function transmit(one: Sent) {
    const { command, n } = one
    const now = clock.now()
    if (command.expiresAt - now < LEAST_TTL_MS) return runOut(one)
    const frame = writeFrame(command, n, now, target)
    if (!frame) {
      log.warn({ command: command.t, id: command.id, rx: target.rx }, 'does not fit the device')
      return finish(one, { kind: 'failed', reason: 'too_large' })
    }
    log.debug({ command: command.t, id: command.id, n, bytes: frame.length, resend: one.resends }, 'sent')
    link.publish(frame)
    scheduleResend(one)
  }

  function scheduleResend(one: Sent) {
    const dueAt = RESEND_AT_MS[one.resends]
    if (dueAt === undefined) return scheduleYield(one)
    one.cancelTimer = clock.after(one.firstAt + dueAt - clock.elapsed(), () => {
      one.resends += 1
      if (one.acksUnderWay > 0) scheduleResend(one)
      else transmit(one)
    })
  }

  /** After the last resend the next class gets its turn; a late ack still counts until the command's time is up. */
  function scheduleYield(one: Sent) {
    one.cancelTimer = clock.after(one.firstAt + YIELD_AT_MS - clock.elapsed(), () => {
      one.cancelTimer = clock.after(one.command.expiresAt - clock.now(), () => runOut(one))
      if (inFlight !== one.command.id) return
      inFlight = undefined
      pump()
    })
  }

  /**
   * The time of a command is up. An announcement that was asked for in vain as often as may be was not heard; one
   * that left only just in time may sound at this moment: the sweep gives its ack a while more.
   */
  function runOut(one: Sent) {
    const isUnheard = !one.received && clock.elapsed() - one.firstAt >= YIELD_AT_MS
    finish(one, { kind: one.command.t === 'announce' && isUnheard ? 'unheard' : 'dropped' })
  }

  function finish(one: Sent, end: CommandEnd) {
    one.cancelTimer()
    sent.delete(one.command.id)
    if (inFlight === one.command.id) inFlight = undefined
    one.command.onEnd?.(end)
    pump()
  }

  /** Takes everything off the way; answers what it was. */
  function takeOff(): Outgoing[] {
    for (const one of sent.values()) one.cancelTimer()
    const underWay = [...sent.values()].map((one) => one.command)
    const all = [...underWay, ...(preparing ? [preparing] : []), ...takeAll(waiting, () => true)]
    sent.clear()
    preparing = undefined
    inFlight = undefined
    return all
  }

  function dropAllButCodes() {
    const before = takeOff()
    waiting.push(...before.filter((command) => command.t === 'code'))
    for (const command of before) if (command.t !== 'code') command.onEnd?.({ kind: 'dropped' })
  }

  return {
    deviceId: identity.deviceId,
    serial: identity.serial,
    sid: identity.sid,
    screen,
    lastSeenAt: clock.elapsed(),
    born: () => state === 'open',
    isFree: () =>
      state === 'open' &&
      !isHeld &&
      inFlight === undefined &&
      waiting.length === 0 &&
      !isAnnouncementPending(),

    begin(rx) {
      if (state === 'ended') return
      state = 'open'
      isHeld = false
      target.rx = rx ?? target.rx
      // A device that was born knows nothing of what was shown before.
      Object.assign(screen, { bill: undefined, profile: undefined })
      dropAllButCodes()
    },

    hold() {
      isHeld = true
      dropAllButCodes()
    },

    push(command) {
      if (state === 'ended') return command.onEnd?.({ kind: 'dropped' })
      addWaiting(waiting, command)
      arriving = command
      pump()
      arriving = undefined
    },

    has: (id) => sent.has(id) || inFlight === id || waiting.some((command) => command.id === id),

    withdraw(which) {
      takeAll(waiting, which)
      if (preparing && which(preparing)) {
        preparing = undefined
        inFlight = undefined
        pump()
      }
      for (const one of [...sent.values()]) if (which(one.command)) finish(one, { kind: 'dropped' })
    },

    hears({ id }) {
      const one = sent.get(id)
      if (one) one.acksUnderWay += 1
    },

    acked({ id, st, rc }) {
      const one = sent.get(id)
      if (!one) return false
      // An ack that came before a new birth was not counted with what is under way since.
      if (one.acksUnderWay > 0) one.acksUnderWay -= 1
      if (st === 'failed') finish(one, { kind: 'failed', reason: rc ?? 'unsupported' })
      else if (st === FINAL_STAGE[one.command.t]) finish(one, { kind: 'done' })
      else {
        one.received = true
        if (inFlight === id) inFlight = undefined
        pump()
      }
      return true
    },

    end() {
      if (state === 'ended') return
      state = 'ended'
      for (const command of takeOff()) command.onEnd?.({ kind: 'dropped' })
    },

    close: () => link.close(),
  }
}
