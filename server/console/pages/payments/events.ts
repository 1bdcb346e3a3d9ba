import { type EventType, firstSeqAt } from '../../../events/event.ts'
import type { PaymentView } from '../../../payments/ports.ts'
import type { Delivery, Webhook } from '../../../webhooks/webhook.ts'
import { inSlice } from '../../parts/reading.ts'
import type { OwnVisit } from '../../parts/visit.ts'

/** Events of these types tell of a payment. */
const TYPES: readonly EventType[] = [
  ...(['payment.recorded', 'bill.paid', 'announcement.played', 'announcement.missed'] as const),
  ...(['announcement.delivered', 'announcement.failed', 'announcement.suppressed'] as const),
]
/** Events of one page of the log, and the pages that are read behind each fact. An event lies close behind its fact. */
const [AT_ONCE, PAGES] = [40, 4]

/** An event that tells of a payment, and what became of it at each webhook. */
export interface Told {
  id: string
  seq: number
  type: EventType
  at: number
  deliveries: { webhook: Webhook; delivery: Delivery | undefined }[]
}

/** What the partner was told of a payment, in the order of the events, as far as they are still kept. */
export async function toldOf(visit: OwnVisit, { payment, announcements }: PaymentView): Promise<Told[]> {
  const { clientId, id, receivedAt } = payment
  const { storage } = visit
  const ends = announcements.flatMap(({ times: { played, delivered, failed, expired, suppressed } }) => {
    const at = played ?? delivered ?? failed ?? expired ?? suppressed
    return at === undefined ? [] : [at]
  })
  const facts = [...new Set([receivedAt, ...ends])].sort((one, other) => one - other)
  const told = new Map<number, Told>()
  for (const fact of facts) {
    let after = firstSeqAt(fact) - 1
    for (let pages = 0; pages < PAGES; pages += 1) {
      const page = await inSlice(visit, () =>
        storage.events.page(clientId, { after, types: TYPES, limit: AT_ONCE }),
      )
      const ours = page.events.filter(({ data }) => (data.paymentId ?? data.id) === id)
      for (const { data: _, ...event } of ours) told.set(event.seq, { ...event, deliveries: [] })
      if (page.next === after || ours.some(({ at }) => at === fact)) break
      after = page.next
    }
  }
  const webhooks = await storage.webhooks.list(clientId)
  for (const event of told.values())
    for (const webhook of webhooks.filter(({ types }) => types?.includes(event.type) ?? true))
      event.deliveries.push({ webhook, delivery: await deliveryOf(visit, webhook, event.seq) })
  return [...told.values()].sort((one, other) => one.seq - other.seq)
}

async function deliveryOf(visit: OwnVisit, { id }: Webhook, seq: number): Promise<Delivery | undefined> {
  const page = { limit: 1, after: String(seq + 1) }
  const { rows } = await inSlice(visit, () =>
    visit.storage.webhooks.deliveries(id, { state: undefined }, page),
  )
  return rows.find((one) => one.seq === seq)
}
