import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { WebhookRecords } from './ports.ts'
import { ROTATION_OVERLAP_MS } from './webhook.ts'

/** Gives a webhook a new secret. Until `previousUntil` deliveries are signed with the one before as well. */
export function rotateSecret(deps: {
  webhooks: Pick<WebhookRecords, 'rotate'>
  ids: Pick<Ids, 'webhookSecret'>
  clock: Pick<Clock, 'now'>
}) {
  const { webhooks, ids, clock } = deps

  return async function rotateSecret(
    clientId: string,
    id: string,
  ): Promise<{ secret: string; previousUntil: number }> {
    const secret = ids.webhookSecret()
    const at = clock.now()
    const previousUntil = at + ROTATION_OVERLAP_MS
    const outcome = await webhooks.rotate(clientId, id, secret, at, previousUntil)
    if (outcome === 'unknown') throw new HubError('WEBHOOK_NOT_FOUND')
    if (outcome === 'underWay') throw new HubError('WEBHOOK_ROTATION_UNDER_WAY')
    return { secret, previousUntil }
  }
}
