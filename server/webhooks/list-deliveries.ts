import type { Cursors } from '../platform/lists/cursors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page } from '../platform/page.ts'
import { findWebhook } from './find-webhook.ts'
import type { WebhookRecords } from './ports.ts'
import type { Delivery, DeliveryState } from './webhook.ts'

/** Rows that one slice reads: each has attempts to unseal and to parse. */
const AT_ONCE = 4

/** Lists the deliveries of one of the partner's webhooks, those that began last first. */
export function listDeliveries(deps: {
  webhooks: Pick<WebhookRecords, 'find' | 'deliveries'>
  slices: Slices
  cursors: Cursors
}) {
  const { webhooks, ...walk } = deps
  const find = findWebhook({ webhooks })

  return async function listDeliveries(
    clientId: string,
    id: string,
    filter: { state: DeliveryState | undefined },
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<Delivery>> {
    const webhook = await find(clientId, id)
    return walkList(walk, { list: `deliveries/${webhook.id}`, clientId, ...page, atOnce: AT_ONCE }, (asked) =>
      webhooks.deliveries(webhook.id, filter, asked),
    )
  }
}
