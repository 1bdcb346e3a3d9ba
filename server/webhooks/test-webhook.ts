import type { EventLog } from '../events/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { findWebhook } from './find-webhook.ts'
import type { WebhookRecords } from './ports.ts'

/** Adds a `webhook.test`, which goes to one of the partner's webhooks alone, and returns the event's id. */
export function testWebhook(deps: {
  webhooks: Pick<WebhookRecords, 'find'>
  events: Pick<EventLog, 'addTest'>
  clock: Pick<Clock, 'now'>
}) {
  const { webhooks, events, clock } = deps
  const find = findWebhook({ webhooks })

  return async function testWebhook(clientId: string, id: string): Promise<string> {
    await find(clientId, id)
    return events.addTest(clientId, id, clock.now())
  }
}
