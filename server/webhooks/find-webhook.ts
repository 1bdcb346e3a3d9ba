import { HubError } from '../platform/errors.ts'
import type { WebhookRecords } from './ports.ts'
import type { ReplayProgress, Webhook } from './webhook.ts'

/** The partner's webhooks, the newest first. */
export function listWebhooks({ webhooks }: { webhooks: Pick<WebhookRecords, 'list'> }) {
  return async function listWebhooks(clientId: string): Promise<Webhook[]> {
    return webhooks.list(clientId)
  }
}

/** Finds one of the partner's webhooks; throws WEBHOOK_NOT_FOUND. */
export function findWebhook({ webhooks }: { webhooks: Pick<WebhookRecords, 'find'> }) {
  return async function findWebhook(clientId: string, id: string): Promise<Webhook> {
    const found = await webhooks.find(clientId, id)
    if (!found) throw new HubError('WEBHOOK_NOT_FOUND')
    return found
  }
}

/** One of the partner's webhooks, with the range of events that is being sent to it again. */
export function getWebhook({ webhooks }: { webhooks: Pick<WebhookRecords, 'find' | 'backlog'> }) {
  const find = findWebhook({ webhooks })

  return async function getWebhook(
    clientId: string,
    id: string,
  ): Promise<{ webhook: Webhook; replay: ReplayProgress | undefined }> {
    const webhook = await find(clientId, id)
    return { webhook, replay: (await webhooks.backlog(id))?.replay }
  }
}
