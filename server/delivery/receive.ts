import type { AckOutcome, AckStep } from '../announcements/ports.ts'
import type { Born } from '../devices/device.ts'
import type { HealthLog } from '../devices/health.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import { Breach, type Dialect, type Heard } from './dialect.ts'
import type { MissedNotices } from './missed.ts'
import type { Ack } from './session/ports.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export interface ReceiveDeps extends Parts {
  settings: Pick<SettingsRecords, 'report'>
  health: Pick<HealthLog, 'reported'>
  missed: Pick<MissedNotices, 'show' | 'sumUpAgain' | 'shown'>
  born: (session: Session, born: Born) => Promise<void>
  dialect: Pick<Dialect, 'highestCredibleNumber'>
}

/**
 * Takes in what a device says. Resolves when it is stored, because the PUBACK that follows tells the device so
 * (sb/1 7.4): to true for an ack that moved an announcement of an older session. Throws or rejects with a Breach when the
 * connection must be closed.
 */
export function createReceive(deps: ReceiveDeps) {
  const { outbox, settings, health, sessions, missed, patiently, clock, log } = deps
  const { highestCredibleNumber } = deps.dialect

  async function receive(session: Session, heard: Heard): Promise<boolean> {
    const { serial, deviceId } = session
    if ((heard.kind === 'reached' || heard.kind === 'settings') && !session.isBorn())
      throw new Breach(`${heard.kind}: before the birth`)
    switch (heard.kind) {
      case 'reached':
        return receiveAck(session, heard.ack)
      case 'born':
        await receiveBirth(session, heard.born)
        break
      case 'settings':
        await patiently(() => settings.report(deviceId, heard.settings, clock.now()))
        break
      case 'gone':
        sessions.remove(session)
        break
      case 'telemetry':
        health.reported(deviceId, heard.readings, heard.update)
        log.debug({ serial, ...heard.readings }, 'telemetry')
        break
      case 'ignored':
        if (heard.why !== undefined) log.warn({ serial, why: heard.why }, 'a message was ignored')
    }
    return false
  }

  async function receiveBirth(session: Session, born: Born) {
    const { played } = born
    if (played > highestCredibleNumber && played > (await outbox.highestNumber(session.deviceId)))
      throw new Breach('birth: has played a number that was never given')
    await deps.born(session, born)
  }

  /** Stores the stage that a device reports, then moves its command forward. */
  async function receiveAck(session: Session, ack: Ack): Promise<boolean> {
    const { deviceId, serial } = session
    const { commandId: announcementId, commandNumber, stage, reason } = ack
    const ids = { serial, id: announcementId, n: commandNumber }
    const wrongNumber = () => {
      log.warn(ids, "an ack with another command's number was ignored")
      return false
    }
    if (!session.ackArrived(ack)) return wrongNumber()
    let outcome: AckOutcome = 'nothing'
    // The outbox holds announcements alone: of any other command that this session has sent, nothing is to be stored.
    if (stage !== 'shown' && (session.kindOf(announcementId) ?? 'announce') === 'announce') {
      // An announcement that is too late for the device counts as missed, like one that is too late for the hub.
      const reached: AckStep['stage'] = stage === 'failed' && reason === 'expired' ? 'expired' : stage
      const step = { announcementId, commandNumber, deviceId, stage: reached, reason }
      outcome = await patiently(() => outbox.recordAck(step, clock.now()))
    }
    if (outcome === 'no_longer_missed')
      sessions.inBackground('summing up missed payments', missed.sumUpAgain(deviceId))
    const shown = stage === 'shown' && missed.shown(session, announcementId)
    const isUnderWay = session.ackStored(ack)
    await shown
    if (isUnderWay) return false
    const hasMoved = outcome !== 'nothing'
    // It failed in an older session and was not sent again in this one: nothing else shows it as missed.
    if (hasMoved && stage === 'failed')
      sessions.inBackground('showing missed payments', missed.show(deviceId))
    const open = hasMoved ? [] : await patiently(() => outbox.open(deviceId, clock.now()))
    if (open.some(({ id, n }) => id === announcementId && n !== commandNumber)) wrongNumber()
    return hasMoved
  }

  return receive
}
