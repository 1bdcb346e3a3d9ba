import type { EventLog } from '../events/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import { type Actor, byPartner, ownerOf } from '../security/actor.ts'
import type { AcceptUrl, Holds } from './accept-url.ts'
import { hasEffect, type WebhookChange } from './change.ts'
import type { WebhookRecords } from './ports.ts'
import { ROTATION_OVERLAP_MS, type Webhook, type WebhookFields } from './webhook.ts'

const NEW = {
  state: 'enabled',
  disabledReason: undefined,
  failingSince: undefined,
  lastDeliveredAt: undefined,
} as const

/** Finds one of the owner's webhooks, or one of all partners'; throws WEBHOOK_NOT_FOUND. */
export async function findWebhook(
  webhooks: Pick<WebhookRecords, 'find'>,
  owner: string | undefined,
  id: string,
) {
  const found = await webhooks.find(owner, id)
  if (!found) throw new HubError('WEBHOOK_NOT_FOUND')
  return found
}

interface ManageDeps {
  webhooks: WebhookRecords
  events: Pick<EventLog, 'addTest'>
  acceptUrl: AcceptUrl
  changed: (id: string) => void
  ids: Pick<Ids, 'webhookId' | 'webhookSecret'>
  clock: Pick<Clock, 'now'>
}

/**
 * What partners do with their webhooks. All of it but the list throws WEBHOOK_NOT_FOUND. `changed` is called with the id of
 * a webhook for which there is something to do.
 */
export function manageWebhooks({ webhooks, events, acceptUrl, changed, ids, clock }: ManageDeps) {
  return {
    /** Adds a webhook, which gets the events from now on. Its secret is in no later answer. Throws WEBHOOK_LIMIT. */
    async createWebhook(clientId: string, { url: written, types, description }: WebhookFields, holds: Holds) {
      const url = await acceptUrl(clientId, written, holds)
      const secret = ids.webhookSecret()
      const made = { id: ids.webhookId(), clientId, createdAt: clock.now() }
      const webhook: Webhook = { ...NEW, ...made, url, types, description }
      if (!(await webhooks.add(byPartner(clientId), webhook, secret))) throw new HubError('WEBHOOK_LIMIT')
      changed(webhook.id)
      return { webhook, secret }
    },

    /** The newest first. */
    listWebhooks: (clientId: string) => webhooks.list(clientId),

    /** With the range of events that is being sent to it again. */
    async getWebhook(clientId: string, id: string) {
      const webhook = await findWebhook(webhooks, clientId, id)
      return { webhook, replay: (await webhooks.backlog(id))?.replay }
    },

    /** A new address is checked as that of a new webhook. */
    async changeWebhook(by: Actor, id: string, asked: WebhookChange, holds: Holds): Promise<Webhook> {
      // Before the address: nobody makes the hub look names up for a webhook that is not there.
      const found = await findWebhook(webhooks, ownerOf(by), id)
      const { url } = asked
      const change =
        url === undefined ? asked : { ...asked, url: await acceptUrl(found.clientId, url, holds) }
      // The storage raises the revision, and the hub that sends reads the webhook anew.
      if (!hasEffect(found, change)) return found
      const after = await webhooks.change(by, id, change, clock.now())
      if (!after) throw new HubError('WEBHOOK_NOT_FOUND')
      changed(id)
      return after
    },

    /** Deletes a webhook with its deliveries. */
    async deleteWebhook(clientId: string, id: string) {
      if (!(await webhooks.remove(byPartner(clientId), id, clock.now())))
        throw new HubError('WEBHOOK_NOT_FOUND')
      changed(id)
    },

    /**
     * Gives a webhook a new secret. Until `previousUntil` deliveries are signed with the one before as well. Throws
     * WEBHOOK_ROTATION_UNDER_WAY.
     */
    async rotateSecret(clientId: string, id: string) {
      const secret = ids.webhookSecret()
      const at = clock.now()
      const previousUntil = at + ROTATION_OVERLAP_MS
      const outcome = await webhooks.rotate(byPartner(clientId), id, secret, at, previousUntil)
      if (outcome === 'unknown') throw new HubError('WEBHOOK_NOT_FOUND')
      if (outcome === 'underWay') throw new HubError('WEBHOOK_ROTATION_UNDER_WAY')
      changed(id)
      return { secret, previousUntil }
    },

    /** Adds a `webhook.test`, which goes to this webhook alone, and returns the event's id. */
    async testWebhook(clientId: string, id: string): Promise<string> {
      await findWebhook(webhooks, clientId, id)
      const eventId = await events.addTest(clientId, id, clock.now())
      changed(id)
      return eventId
    },
  }
}
