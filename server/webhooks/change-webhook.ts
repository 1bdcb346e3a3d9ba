import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { AcceptUrl } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import type { WebhookRecords } from './ports.ts'
import type { Webhook, WebhookFields } from './webhook.ts'

/** A field that is absent stays unchanged. `types: undefined` means all types. */
export type WebhookChange = Partial<WebhookFields> & { state?: Webhook['state'] }

/** Changes one of the partner's webhooks. A new address is checked as that of a new webhook. */
export function changeWebhook(deps: {
  webhooks: Pick<WebhookRecords, 'find' | 'change'>
  acceptUrl: AcceptUrl
  clock: Pick<Clock, 'now'>
}) {
  const { webhooks, acceptUrl, clock } = deps
  const find = findWebhook({ webhooks })

  return async function changeWebhook(
    clientId: string,
    id: string,
    asked: WebhookChange,
    holds: Parameters<AcceptUrl>[2],
  ): Promise<Webhook> {
    // Before the address: nobody makes the hub look names up for a webhook that is not there.
    const found = await find(clientId, id)
    const { url } = asked
    const change = url === undefined ? asked : { ...asked, url: await acceptUrl(clientId, url, holds) }
    // The storage raises the revision, and the hub that sends reads the webhook anew.
    if (!changes(found, change)) return found
    const changed = await webhooks.change(clientId, id, change, clock.now())
    if (!changed) throw new HubError('WEBHOOK_NOT_FOUND')
    return changed
  }
}

/** Whether the webhook is another one after the change. Enabling it also ends the count of its failures. */
function changes(found: Webhook, change: WebhookChange): boolean {
  if (change.state === 'enabled' && found.failingSince !== undefined) return true
  const names = ['url', 'types', 'description', 'state'] as const
  return names.some((name) => name in change && String(found[name]) !== String(change[name]))
}

/** Deletes one of the partner's webhooks with its deliveries. */
export function deleteWebhook(deps: { webhooks: Pick<WebhookRecords, 'remove'>; clock: Pick<Clock, 'now'> }) {
  return async function deleteWebhook(clientId: string, id: string): Promise<void> {
    if (!(await deps.webhooks.remove(clientId, id, deps.clock.now()))) throw new HubError('WEBHOOK_NOT_FOUND')
  }
}
