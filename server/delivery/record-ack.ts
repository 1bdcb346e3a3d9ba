import type { Ack } from '../../protocol/messages/ack.ts'
import type { Clock } from '../platform/clock.ts'
import type { Delivery } from './delivery.ts'
import type { AckStep, Outbox } from './ports.ts'
import type { Session } from './session/session-interface.ts'

/**
 * Stores the stage that a device reports, then moves its command on. Resolves once the stage is on disk,
 * because the PUBACK that follows tells the device so (sb/1 7.4).
 */
export function recordAck(deps: { outbox: Outbox; delivery: Delivery; clock: Clock }) {
  const { outbox, delivery, clock } = deps
  return async (session: Session, ack: Ack): Promise<void> => {
    const { id, rc: reason } = ack
    session.hears(ack)
    // `shown` is a stage of screen commands alone; those are not on record.
    if (ack.st !== 'shown') {
      // What came too late for the device counts as missed, like what came too late for the hub.
      const reached: AckStep['stage'] = ack.st === 'failed' && reason === 'expired' ? 'expired' : ack.st
      const step = { announcementId: id, deviceId: session.deviceId, stage: reached, reason }
      await outbox.recordAck(step, clock.now())
    }
    delivery.acked(session, ack)
  }
}
