import type { Language } from '../../protocol/money/language.ts'
import type { Speaker } from '../devices/device.ts'
import type { Ids } from '../platform/ids.ts'
import { ANNOUNCEMENT_FRESH_MS } from './announcement.ts'

/** An announcement of a new payment. It gets its number when it is stored. */
export interface PlannedAnnouncement {
  id: string
  deviceId: string
  stage: 'queued' | 'suppressed'
  lang: Language
  /** The number of the bill that the payment paid. Empty when it paid none. */
  paidBill: string
  expiresAt: number
}

/** One announcement for every speaker of the store. That of a locked speaker is stored as suppressed. */
export function planAnnouncements(
  { receivedAt, paidBill }: { receivedAt: number; paidBill: string },
  speakers: readonly Speaker[],
  ids: Pick<Ids, 'commandId'>,
): PlannedAnnouncement[] {
  return speakers.map((speaker) => ({
    id: ids.commandId(),
    deviceId: speaker.deviceId,
    stage: speaker.active ? 'queued' : 'suppressed',
    lang: speaker.lang,
    paidBill,
    expiresAt: receivedAt + ANNOUNCEMENT_FRESH_MS,
  }))
}
