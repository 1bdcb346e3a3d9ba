import type { Speaker } from '../devices/device.ts'
import type { Ids } from '../platform/ids.ts'
import { ANNOUNCEMENT_FRESH_MS, type Announcement } from './announcement.ts'

/** An announcement of a new payment. It gets its number when it is stored. */
export interface PlannedAnnouncement
  extends Pick<Announcement, 'id' | 'deviceId' | 'lang' | 'paidBill' | 'expiresAt'> {
  stage: 'queued' | 'suppressed'
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
