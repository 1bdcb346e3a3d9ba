import type { WebhookRecords } from '../../../../webhooks/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { allRows, placed, walkBack } from '../../../shared/walk-back.ts'
import {
  type BacklogRow,
  changed,
  changesOf,
  createWebhookMapping,
  type DeliveryRow,
  deliveryId,
  newestFirst,
  repairs,
  toBacklog,
  type WebhookRow,
  writeTypes,
} from '../../../shared/webhooks/mapping.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'
import { SCANNED } from '../../lists/numbered-rows.ts'
import { removeWebhook } from '../../rows/removed-webhooks.ts'
import { DELIVERY } from './delivery-columns.ts'

const COLUMNS = `id, client_id AS "clientId", url, types, description, state, disabled_reason AS "disabledReason",
  created_at AS "createdAt", failing_since AS "failingSince", last_delivered_at AS "lastDeliveredAt"`

/** What a change locks besides. */
interface LockedRow extends WebhookRow {
  secrets: Buffer
  previousUntil: number | null
}

export function createWebhookRecords(
  { read, write, audit, vault }: PostgresDatabase,
  { mostWebhooks }: Pick<StorageRules, 'mostWebhooks'>,
): WebhookRecords {
  const mapping = createWebhookMapping(vault)

  async function lock(tx: Tx, clientId: string, id: string): Promise<LockedRow | undefined> {
    const [row] = await tx.query<LockedRow>(
      'webhooks.lock',
      `SELECT ${COLUMNS}, secrets, previous_until AS "previousUntil" FROM webhooks
       WHERE id = $1 AND client_id = $2 AND deleted_at IS NULL FOR UPDATE`,
      [id, clientId],
    )
    return row
  }

  /** False for a webhook that is deleted. Until the commit it stays as it is. */
  async function keep(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.query(
      'webhooks.keep',
      'SELECT 1 FROM webhooks WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [id],
    )
    return rows.length > 0
  }

  const readBacklog = async (run: Tx['query'], id: string) =>
    toBacklog(
      await run<BacklogRow>(
        'webhooks.backlog',
        `SELECT f.after, f.count, f.sent, w.probe_at AS "probeAt"
         FROM webhooks w JOIN webhook_feeds f ON f.webhook_id = w.id
         WHERE w.id = $1 AND w.deleted_at IS NULL ORDER BY f.number LIMIT 2`,
        [id],
      ),
    )

  return {
    add: (webhook, secret) =>
      write(async (tx) => {
        const { id, clientId, createdAt, description } = webhook
        // Whoever adds another one of the partner waits here, and counts then what this one has committed.
        await tx.query(
          'webhooks.lockPartner',
          'SELECT 1 FROM partners WHERE client_id = $1 FOR NO KEY UPDATE',
          [clientId],
        )
        const [known] = await tx.query<{ count: number }>(
          'webhooks.count',
          'SELECT count(*) AS count FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL',
          [clientId],
        )
        if ((known?.count ?? 0) >= mostWebhooks) return false
        await tx.query(
          'webhooks.add',
          `INSERT INTO webhooks (id, client_id, url, secrets, types, description, state, created_at, enabled_at)
           VALUES ($1, $2, $3, $4, $5, $6, 'enabled', $7, $7)`,
          [
            ...[id, clientId, mapping.sealUrl(id, webhook.url), mapping.sealSecrets(id, [secret])],
            ...[writeTypes(webhook.types), description, createdAt],
          ],
        )
        await tx.query(
          'webhooks.addFirstFeed',
          `INSERT INTO webhook_feeds (webhook_id, number, after) VALUES ($1, 0, coalesce(
             (SELECT seq FROM events WHERE client_id = $2 ORDER BY seq DESC LIMIT 1),
             (SELECT seq FROM deleted_events WHERE client_id = $2), 0
           ))`,
          [id, clientId],
        )
        await audit.note(tx, { at: createdAt, action: 'webhook.create', subject: id, clientId })
        return true
      }),

    async list(clientId) {
      const rows = await read<WebhookRow>(
        'webhooks.list',
        `SELECT ${COLUMNS} FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL`,
        [clientId],
      )
      return rows.map(mapping.toWebhook).toSorted(newestFirst)
    },

    async find(clientId, id) {
      const rows = await read<WebhookRow>(
        'webhooks.find',
        `SELECT ${COLUMNS} FROM webhooks WHERE id = $1 AND client_id = $2 AND deleted_at IS NULL`,
        [id, clientId],
      )
      return rows.map(mapping.toWebhook)[0]
    },

    change: (clientId, id, change, at) =>
      write(async (tx) => {
        const row = await lock(tx, clientId, id)
        if (!row) return undefined
        const { secrets: _, previousUntil: __, ...known } = row
        const before = mapping.toWebhook(known)
        const after = changed(before, change)
        const details = changesOf(before, after)
        if (!details && change.state !== 'enabled') return before
        const isRepair = repairs(before, change)
        await tx.query(
          'webhooks.change',
          `UPDATE webhooks SET url = $2, types = $3, description = $4, state = $5, disabled_reason = $6,
             failing_since = $7, enabled_at = coalesce($8, enabled_at), probe_at = NULL, revision = revision + 1
           WHERE id = $1`,
          [
            ...[id, mapping.sealUrl(id, after.url), writeTypes(after.types), after.description, after.state],
            ...[after.disabledReason, after.failingSince, isRepair ? at : undefined],
          ],
        )
        if (isRepair)
          await tx.query(
            'webhooks.tryAtOnce',
            'UPDATE deliveries SET next_at = $2 WHERE webhook_id = $1 AND next_at > $2',
            [id, at],
          )
        if (change.state === 'disabled')
          await tx.query(
            'webhooks.endReplays',
            'DELETE FROM webhook_feeds WHERE webhook_id = $1 AND number > 0',
            [id],
          )
        if (details) await audit.note(tx, { at, action: 'webhook.change', subject: id, clientId, details })
        return after
      }),

    remove: (clientId, id, at) =>
      write(async (tx) => {
        if (!(await lock(tx, clientId, id))) return false
        const empty = { url: mapping.sealUrl(id, ''), secrets: mapping.sealSecrets(id, []) }
        await removeWebhook(tx, id, at, empty)
        await audit.note(tx, { at, action: 'webhook.delete', subject: id, clientId })
        return true
      }),

    rotate: (clientId, id, secret, at, until) =>
      write(async (tx) => {
        const row = await lock(tx, clientId, id)
        if (!row) return 'unknown'
        if (row.previousUntil !== null && row.previousUntil > at) return 'underWay'
        const secrets = [secret, ...mapping.openSecrets(row).slice(0, 1)]
        await tx.query(
          'webhooks.rotate',
          'UPDATE webhooks SET secrets = $2, previous_until = $3, probe_at = NULL, revision = revision + 1 WHERE id = $1',
          [id, mapping.sealSecrets(id, secrets), until],
        )
        const details = { oldSecretExpiresAt: new Date(until).toISOString() }
        await audit.note(tx, { at, action: 'webhook.rotate', subject: id, clientId, details })
        return 'rotated'
      }),

    backlog: (webhookId) => readBacklog(read, webhookId),

    async deliveries(webhookId, { state }, page) {
      const between = (from: number, below: number) => [
        deliveryId(webhookId, from),
        deliveryId(webhookId, below),
      ]
      const kept = await read(
        'webhooks.isKept',
        'SELECT 1 FROM webhooks WHERE id = $1 AND deleted_at IS NULL',
        [webhookId],
      )
      if (kept.length === 0) return { rows: [], next: undefined }
      const walked = await walkBack(
        page,
        { least: 1, below: Number.MAX_SAFE_INTEGER },
        async ({ from, below, limit }) => {
          const rows = await read<DeliveryRow>(
            'webhooks.deliveries',
            `SELECT ${DELIVERY} FROM deliveries WHERE id >= $1 AND id < $2 AND ($3::text IS NULL OR state = $3)
             ORDER BY id DESC LIMIT $4`,
            [...between(from, below), state, limit],
          )
          return rows.map((row) => ({ ...row, rowId: row.seq }))
        },
        state === undefined
          ? allRows
          : async (top, least) => {
              const [last] = await read<{ seq: number }>(
                'webhooks.lastLookedAt',
                'SELECT seq FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $3',
                [...between(least, top), SCANNED - 1],
              )
              return { from: last?.seq ?? least, below: top }
            },
      )
      return placed(walked, ({ rowId: _, ...row }) => mapping.toDelivery(row))
    },

    replay: (webhookId, event, at) =>
      write(async (tx) => {
        if (!(await keep(tx, webhookId))) return
        const delivery = { webhookId, ...event, state: 'pending' as const, step: 0, nextAt: at, attempts: [] }
        const { id, seq, eventId, type, state, step, nextAt, attempts } = mapping.toColumns(delivery)
        await tx.query(
          'webhooks.replay',
          `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM webhooks w
           WHERE w.id = $2 AND $3 > coalesce((SELECT seq FROM deleted_events d WHERE d.client_id = w.client_id), 0)
           ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at`,
          [id, webhookId, seq, eventId, type, state, step, nextAt, attempts],
        )
      }),

    replayRange: (webhookId, range) =>
      write(async (tx) => {
        if (!(await keep(tx, webhookId))) return true
        if ((await readBacklog(tx.query, webhookId))?.replay) return false
        await tx.query(
          'webhooks.replayRange',
          `WITH numbered AS (UPDATE webhooks SET last_feed = last_feed + 1 WHERE id = $1 RETURNING last_feed)
           INSERT INTO webhook_feeds (webhook_id, number, after, up_to, count)
           SELECT $1, last_feed, $2::bigint, $3::bigint, $4::bigint FROM numbered`,
          [webhookId, range.after, range.upTo, range.count],
        )
        return true
      }),
  }
}
