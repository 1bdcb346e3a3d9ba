import type { Language } from '../../protocol/money/language.ts'
import type { Speaker } from '../devices/device.ts'
import type { Payment } from '../payments/payment.ts'
import type { Ids } from '../platform/ids.ts'
import { ANNOUNCEMENT_FRESH_MS } from './announcement.ts'

/** An announcement that a payment calls for; its number is given as it is stored. */
export interface PlannedAnnouncement {
  id: string
  deviceId: string
  stage: 'queued' | 'suppressed'
  lang: Language
  /** The number of the bill that the payment pays; empty when it pays none. */
  paidBill: string
  expiresAt: number
}

/** One announcement for every speaker of the store; a locked speaker stays silent, and that too is on record. */
export function planAnnouncements(
  payment: Payment,
  paidBill: string,
  speakers: readonly Speaker[],
  ids: Pick<Ids, 'commandId'>,
): PlannedAnnouncement[] {
  return speakers.map((speaker) => ({
    id: ids.commandId(),
    deviceId: speaker.deviceId,
    stage: speaker.active ? 'queued' : 'suppressed',
    lang: speaker.lang,
    paidBill,
    expiresAt: payment.receivedAt + ANNOUNCEMENT_FRESH_MS,
  }))
}
