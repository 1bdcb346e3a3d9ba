import { ANNOUNCEMENT_FRESH_MS, type ReasonCode } from '../../../../server/announcements/announcement.ts'
import { AT, createShop, payWell } from '../shop.ts'
import type { Opened } from '../storage-contract.ts'

export const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
/** What was sent may still be acked for a minute after its time. */
export const GIVEN_UP_AT = STALE_AT + 60_000

/** A partner with one speaker in a storage, and payments that it announces. */
export async function opened({ storage, reopen }: Opened) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId, serial } = await shop.speaker(clientId)
  const numbers = new Map<string, number>()
  async function announced(amount = '50000') {
    const ftCode = shop.ids.uuid()
    const [announcement] = (await payWell(shop, clientId, { amount, ftCode })).announcements
    if (!announcement) throw new Error('nothing was announced')
    numbers.set(announcement.id, announcement.n)
    const trail = async () => (await storage.payments.findByFtCode(clientId, ftCode))?.announcements[0]
    return { ...announcement, trail }
  }
  type Stage = 'received' | 'played' | 'failed' | 'expired'
  const step = (announcementId: string, stage: Stage, reason?: ReasonCode) => ({
    ...{ announcementId, commandNumber: numbers.get(announcementId) ?? 0, deviceId, stage, reason },
  })
  return { storage, reopen, shop, clientId, deviceId, serial, announced, step }
}
