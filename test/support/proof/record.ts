import type { Stage } from '../../../server/announcements/announcement.ts'
import type { PaymentView } from '../../../server/payments/ports.ts'
import { allPages } from '../../../server/platform/page.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import type { Payment } from './history.ts'

const PAGE = 500

/** A stored payment, with the stage of each of its announcements. */
export interface Stored extends Payment {
  id: string
  stages: readonly Stage[]
}

/** What the storage holds. */
export interface OnRecord {
  payments: readonly Stored[]
  totals: readonly { terminalID: string; count: bigint; sum: bigint }[]
}

/** Reads the payments of a partner, and the totals of its shops. */
export async function readRecord({
  storage,
  clientId,
  shops,
}: {
  storage: Pick<Storage, 'lists' | 'stores'>
  clientId: string
  shops: readonly { terminalID: string; storeId: string }[]
}): Promise<OnRecord> {
  const payments: Stored[] = []
  for await (const rows of allPages((page) => storage.lists.payments.page({ clientId }, page), PAGE))
    payments.push(...rows.map(toStored))
  const totals = shops.map(async ({ terminalID, storeId }) => {
    const store = await storage.stores.find(clientId, storeId)
    return { terminalID, count: store?.totalTransaction ?? -1n, sum: store?.totalAmount ?? -1n }
  })
  return { payments, totals: await Promise.all(totals) }
}

export function toStored({ payment, announcements }: PaymentView): Stored {
  const { id, ftCode, terminalID, amount } = payment
  return { id, ftCode, terminalID, amount, stages: announcements.map(({ stage }) => stage) }
}
