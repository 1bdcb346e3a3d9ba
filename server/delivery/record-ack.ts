import type { Ack } from '../../protocol/messages/ack.ts'
import type { Clock } from '../clock.ts'
import type { Delivery } from './delivery.ts'
import type { Outbox } from './ports.ts'
import type { Session } from './session.ts'

/**
 * Stores the stage that a device reports, then moves its command on. Resolves once the stage is on disk,
 * because the PUBACK that follows tells the device so.
 */
export function recordAck({ outbox, delivery, clock }: { outbox: Outbox; delivery: Delivery; clock: Clock }) {
  return async (session: Session, ack: Ack): Promise<void> => {
    const stage = ack.st
    // `shown` is a stage of screen commands alone; those are not on record.
    if (stage !== 'shown')
      await outbox.recordAck(
        { announcementId: ack.id, deviceId: session.deviceId, stage, reason: ack.rc },
        clock.now(),
      )
    delivery.acked(session, ack)
  }
}
