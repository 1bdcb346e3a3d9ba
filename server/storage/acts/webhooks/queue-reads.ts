import type { WebhookQueue } from '../../../webhooks/ports.ts'
import {
  type CountRow,
  createSendings,
  createWebhookMapping,
  type DeliveryRow,
  deliveryId,
  type SendingRow,
  toCounts,
  WEBHOOK,
} from '../../shared/webhooks/mapping.ts'
import { type Engine, rows } from '../act.ts'
import { DELIVERY } from './deliveries.ts'

/** The reads of the queue. Each engine stores the results of attempts by statements of its own: see its queue.ts. */
export function createQueueReads({ reading, among, vault }: Engine): Omit<WebhookQueue, 'store'> {
  const mapping = createWebhookMapping(vault)
  const toSendings = createSendings(mapping)

  return {
    // In one statement: its parts are of one moment, also outside a transaction.
    sending: reading(function* () {
      const found = yield* rows<SendingRow>(
        'webhookQueue.sending',
        `SELECT ${WEBHOOK}, secrets, revision, previous_until AS "previousUntil", f.number, f.after, f.up_to AS "upTo"
         FROM webhooks JOIN webhook_feeds f ON f.webhook_id = id
         WHERE state = 'enabled' AND deleted_at IS NULL
           AND client_id IN (SELECT client_id FROM partners WHERE disabled_at IS NULL)`,
      )
      return toSendings(found)
    }),

    begun: reading(function* (webhookId, seqs) {
      const found = yield* rows<{ seq: number }>(
        'webhookQueue.begun',
        `SELECT seq FROM deliveries WHERE ${among('id', '$1')}`,
        [seqs.map((seq) => deliveryId(webhookId, seq))],
      )
      return new Set(found.map(({ seq }) => seq))
    }),

    due: reading(function* (webhookId, at, limit) {
      const found = yield* rows<DeliveryRow>(
        'webhookQueue.due',
        `SELECT ${DELIVERY} FROM deliveries WHERE webhook_id = $1 AND next_at <= $2 ORDER BY next_at LIMIT $3`,
        [webhookId, at, limit],
      )
      return found.map(mapping.toDelivery)
    }),

    nextDue: reading(function* (webhookIds) {
      const found = yield* rows<{ id: string; nextAt: number | null }>(
        'webhookQueue.nextDue',
        `SELECT id,
           (SELECT min(next_at) FROM deliveries WHERE webhook_id = w.id AND next_at IS NOT NULL) AS "nextAt"
         FROM webhooks w WHERE ${among('id', '$1')}`,
        [webhookIds],
      )
      return new Map(found.flatMap(({ id, nextAt }) => (nextAt === null ? [] : [[id, nextAt] as const])))
    }),

    counts: reading(function* () {
      const found = yield* rows<CountRow>(
        'webhookQueue.counts',
        `SELECT state, disabled_reason AS "disabledReason", failing_since AS "failingSince",
           (SELECT count(*) FROM deliveries d WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL) AS pending
         FROM webhooks w WHERE deleted_at IS NULL`,
      )
      return toCounts(found)
    }),
  }
}
