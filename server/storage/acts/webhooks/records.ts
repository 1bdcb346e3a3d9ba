import type { WebhookRecords } from '../../../webhooks/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { createWebhookMapping, WEBHOOK, type WebhookRow } from '../../shared/webhooks/mapping.ts'
import { type Engine, row, rows } from '../act.ts'
import { createWebhookChanges } from './changes.ts'
import { createDeliveryRecords } from './deliveries.ts'

export function createWebhookRecords(
  engine: Engine,
  rules: Pick<StorageRules, 'mostWebhooks' | 'afterChange'>,
): WebhookRecords {
  const { toWebhook } = createWebhookMapping(engine.vault)

  return {
    ...createWebhookChanges(engine, rules),
    ...createDeliveryRecords(engine),

    list: engine.reading(function* (clientId) {
      const found = yield* rows<WebhookRow>(
        'webhooks.list',
        `SELECT ${WEBHOOK} FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL`,
        [clientId],
      )
      // Ids rise with the time.
      return found.map(toWebhook).toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    }),

    find: engine.reading(function* (clientId, id) {
      const found = yield* row<WebhookRow>(
        'webhooks.find',
        `SELECT ${WEBHOOK} FROM webhooks WHERE id = $1
           AND ${engine.ifGiven(clientId, '$2', 'text', 'client_id = $2')} AND deleted_at IS NULL`,
        [id, clientId],
      )
      return found && toWebhook(found)
    }),
  }
}
