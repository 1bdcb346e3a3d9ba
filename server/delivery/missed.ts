import type { MissedMark, MissedPayments } from '../announcements/ports.ts'
import { createKeyedLock } from '../platform/keyed-lock.ts'
import { type Command, type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** The notices of one session. */
interface Notices {
  /** The one that is queued or sent. `isStale`: the sum has changed, and another notice follows. */
  current: { readonly id: string; isStale: boolean } | undefined
  /** How often a payment was taken out of the sum. */
  removals: number
  /**
   * The payments that notices name, by command, until they are stored as shown. One that was dropped after its sending
   * stays: the device may have shown it all the same.
   */
  readonly named: Map<string, MissedMark>
}

export const isUnsentNotice = ({ body }: Command, isSent: boolean) => body.kind === 'missed' && !isSent

/** Shows payments that came too late or failed (sb/1 7.10). A session has one notice at a time. */
export class MissedNotices {
  readonly #parts: Parts
  readonly #ofSession = new WeakMap<Session, Notices>()
  /** By device: a sum that is made while payments are stored as shown would be neither the old one nor the new one. */
  readonly #inTurn = createKeyedLock()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Shows the payments that a device has missed, if there are any and it is connected. */
  show(deviceId: string): Promise<void> {
    return this.#inTurn.run(deviceId, () => this.#show(deviceId))
  }

  /** As `show`, after payments were taken out of the sum: a notice that was not sent yet is wrong. */
  async sumUpAgain(deviceId: string) {
    const session = this.#parts.sessions.toTell(deviceId, 'missed')
    if (!session) return
    this.#noticesOf(session).removals += 1
    session.withdraw(isUnsentNotice)
    await this.show(deviceId)
  }

  /**
   * The device says that it has shown a command. If that is a notice, resolves when this is stored. Call it before the
   * command ends, so that the next notice does not repeat these payments.
   */
  async shown(session: Session, commandId: string) {
    const { outbox, patiently, sessions, clock } = this.#parts
    const { deviceId } = session
    const { current, named } = this.#noticesOf(session)
    const mark = named.get(commandId)
    if (!mark) return
    const wasDropped = current?.id !== commandId
    const store = () => patiently(() => outbox.markMissedShown(deviceId, mark, clock.now()))
    await this.#inTurn.run(deviceId, store)
    const isFirstAck = named.delete(commandId)
    if (wasDropped && isFirstAck)
      sessions.inBackground('summing up missed payments', this.sumUpAgain(deviceId))
  }

  #noticesOf(session: Session): Notices {
    const known = this.#ofSession.get(session)
    if (known) return known
    const notices = { current: undefined, removals: 0, named: new Map() }
    this.#ofSession.set(session, notices)
    return notices
  }

  async #show(deviceId: string) {
    const { outbox, patiently, sessions, clock } = this.#parts
    // Not the session of an ack: it may have ended while the ack was stored.
    const session = sessions.toTell(deviceId, 'missed')
    if (!session) return
    session.withdraw(isUnsentNotice)
    const notices = this.#noticesOf(session)
    const { current, removals } = notices
    // One that was sent names its payments until it ends: a second one would name them again (sb/1 7.10).
    if (current) return void Object.assign(current, { isStale: true })
    const missed = await patiently(() => outbox.missed(deviceId))
    if (missed && !session.rules.canShowMissed)
      // Nothing else would ever mark them, and the hub would keep them for ever.
      return patiently(() => outbox.markMissedShown(deviceId, missed.mark, clock.now()))
    // Whoever took a payment out of the sum sums up again.
    if (missed && notices.removals === removals) this.#send(session, notices, missed)
  }

  #send(session: Session, notices: Notices, { count, amount, mark }: MissedPayments) {
    const { outbox, sessions } = this.#parts
    const { deviceId } = session
    // Of a device that was released nothing is missed. One that was sent may be on the screen, and is not corrected.
    const isValid = async (isResend: boolean) => {
      const found = await outbox.missed(deviceId)
      const isSame = found?.count === count && found.amount === amount
      const valid = isResend ? found !== undefined : isSame
      current.isStale ||= !valid
      return valid
    }
    const onEnd = (end: CommandEnd) => {
      notices.current = undefined
      if (end.kind === 'failed' || command.commandNumber === undefined) notices.named.delete(command.id)
      if (current.isStale) sessions.inBackground('showing missed payments', this.show(deviceId))
    }
    const command = createCommand(this.#parts, { kind: 'missed', count, amount }, { isValid, onEnd })
    const current = { id: command.id, isStale: false }
    notices.current = current
    notices.named.set(command.id, mark)
    session.push(command)
  }
}
