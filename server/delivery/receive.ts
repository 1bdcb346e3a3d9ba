import type { AckStep } from '../announcements/ports.ts'
import type { Born } from '../devices/device.ts'
import { Breach, type Heard } from './dialect.ts'
import type { MissedNotices } from './missed.ts'
import type { Ack } from './session/ports.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'
import type { Sweep } from './sweep.ts'
import type { Welcome } from './welcome.ts'

/**
 * Handles a message of a device. Resolves when it is stored, because the PUBACK that follows confirms that (sb/1 7.4).
 * Resolves to true for an ack that moved an announcement of an older session. Throws or rejects with a Breach when the
 * connection must be closed.
 */
export function createReceive(
  parts: Parts,
  { missed, sweep, welcome }: { missed: MissedNotices; sweep: Sweep; welcome: Welcome },
) {
  const { outbox, settings, health, sessions, dialect, keyed, reported, patiently, clock, log } = parts

  async function receiveBirth(session: Session, born: Born) {
    const { deviceId, serial, sessionId: sid, login } = session
    const { played, firmware: fw } = born
    if (played > dialect.highestCredibleNumber && played > (await outbox.highestNumber(deviceId)))
      throw new Breach('birth: has played a number that was never given')
    sweep.checkClock()
    await welcome(session, { born, login })
    log.info({ serial, sid, fw, played }, 'device born')
  }

  /** Stores the stage that a device reports, then moves its command forward. */
  async function receiveAck(session: Session, ack: Ack): Promise<boolean> {
    const { deviceId, serial } = session
    const { commandId: announcementId, commandNumber, stage } = ack
    const ids = { serial, id: announcementId, n: commandNumber }
    const wrongNumber = () => {
      log.warn(ids, "an ack with another command's number was ignored")
      return false
    }
    if (!session.ackArrived(ack)) return wrongNumber()
    const step = stepOf(session, ack)
    const outcome = step ? await patiently(() => outbox.recordAck(step, clock.now())) : 'nothing'
    if (outcome !== 'nothing') reported(session.rules.dialect, stage)
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

  return async function receive(session: Session, heard: Heard): Promise<boolean> {
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
      case 'keyed':
        // The box was told that its amount was taken. A second try is the same bill.
        sessions.inBackground(
          'taking a keyed amount',
          patiently(() => keyed(deviceId, heard)),
        )
        break
      case 'telemetry':
        health.reported(deviceId, heard.readings, heard)
        log.debug({ serial, ...heard.readings }, 'telemetry')
        break
      case 'ignored':
        if (heard.why !== undefined) log.warn({ serial, why: heard.why }, 'a message was ignored')
    }
    return false
  }
}

/** The stage of an announcement that an ack reports. Undefined for other commands: nothing of them is stored. */
function stepOf(session: Session, ack: Ack): AckStep | undefined {
  const { commandId, commandNumber, stage, reason, proof } = ack
  if (stage === 'shown' || (session.kindOf(commandId) ?? 'announce') !== 'announce') return undefined
  // An announcement that is too late for the device counts as missed, like one that is too late for the hub.
  const reached = stage === 'failed' && reason === 'expired' ? 'expired' : stage
  const { deviceId } = session
  return { announcementId: commandId, commandNumber, deviceId, stage: reached, reason, proof }
}
