import type { WebhookRecords } from '../../../webhooks/ports.ts'
import type { StorageRules } from '../../rules.ts'
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
} from '../../shared/webhooks/mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { allRows, placed, type Range, type Window, walkBack } from '../lists/walk-back.ts'
import { DELIVERY } from './delivery-columns.ts'
import { removeWebhook } from './removed-webhooks.ts'

const COLUMNS = `id, client_id AS "clientId", url, types, description, state, disabled_reason AS "disabledReason",
  created_at AS "createdAt", failing_since AS "failingSince", last_delivered_at AS "lastDeliveredAt"`

/** What a change locks besides. */
interface LockedRow extends WebhookRow {
  secrets: Buffer
  previousUntil: number | null
}

export function createWebhookRecords(
  { reading, writing, audit, lock, forUpdate, scanned, vault }: Engine,
  { mostWebhooks }: Pick<StorageRules, 'mostWebhooks'>,
): WebhookRecords {
  const mapping = createWebhookMapping(vault)

  const lockAndFind = (clientId: string, id: string) =>
    row<LockedRow>(
      'webhooks.lock',
      `SELECT ${COLUMNS}, secrets, previous_until AS "previousUntil" FROM webhooks
       WHERE id = $1 AND client_id = $2 AND deleted_at IS NULL ${forUpdate}`,
      [id, clientId],
    )

  function* isKept(id: string): Act<boolean> {
    const found = yield* row(
      'webhooks.isKept',
      'SELECT 1 FROM webhooks WHERE id = $1 AND deleted_at IS NULL',
      [id],
    )
    return found !== undefined
  }

  /** As `isKept`. Until the commit the webhook stays as it is. */
  function* keep(id: string): Act<boolean> {
    yield* lock('webhooks.keep', 'SELECT 1 FROM webhooks WHERE id = $1', [id])
    return yield* isKept(id)
  }

  function* backlog(id: string) {
    const feeds = yield* rows<BacklogRow>(
      'webhooks.backlog',
      `SELECT f.after, f.count, f.sent, w.probe_at AS "probeAt"
       FROM webhooks w JOIN webhook_feeds f ON f.webhook_id = w.id
       WHERE w.id = $1 AND w.deleted_at IS NULL ORDER BY f.number LIMIT 2`,
      [id],
    )
    return toBacklog(feeds)
  }

  const between = (id: string, { from, below }: Range) => [deliveryId(id, from), deliveryId(id, below)]

  function* deliveriesIn(id: string, state: string | undefined, window: Window) {
    const found = yield* state === undefined
      ? rows<DeliveryRow>(
          'webhooks.deliveries',
          `SELECT ${DELIVERY} FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
          [...between(id, window), window.limit],
        )
      : rows<DeliveryRow>(
          'webhooks.deliveriesOfState',
          `SELECT ${DELIVERY} FROM deliveries WHERE id >= $1 AND id < $2 AND state = $3 ORDER BY id DESC LIMIT $4`,
          [...between(id, window), state, window.limit],
        )
    return found.map((row) => ({ ...row, rowId: row.seq }))
  }

  /** The next rows of the webhook, whatever their state. */
  function* nextDeliveries(id: string, below: number, least: number): Act<Range> {
    const last = yield* row<{ seq: number }>(
      'webhooks.lastLookedAt',
      `SELECT seq FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET ${scanned - 1}`,
      between(id, { from: least, below }),
    )
    return { from: last?.seq ?? least, below }
  }

  return {
    add: writing(function* (webhook, secret) {
      const { id, clientId, createdAt, description } = webhook
      // Whoever adds another one of the partner waits here, and counts then what this one has committed.
      yield* lock('webhooks.lockPartner', 'SELECT 1 FROM partners WHERE client_id = $1', [clientId])
      const known = yield* row<{ count: number }>(
        'webhooks.count',
        'SELECT count(*) AS count FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL',
        [clientId],
      )
      if ((known?.count ?? 0) >= mostWebhooks) return false
      yield* rows(
        'webhooks.add',
        `INSERT INTO webhooks (id, client_id, url, secrets, types, description, state, created_at, enabled_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'enabled', $7, $7)`,
        [
          ...[id, clientId, mapping.sealUrl(id, webhook.url), mapping.sealSecrets(id, [secret])],
          ...[writeTypes(webhook.types), description, createdAt],
        ],
      )
      yield* rows(
        'webhooks.addFirstFeed',
        `INSERT INTO webhook_feeds (webhook_id, number, after) VALUES ($1, 0, coalesce(
           (SELECT seq FROM events WHERE client_id = $2 ORDER BY seq DESC LIMIT 1),
           (SELECT seq FROM deleted_events WHERE client_id = $2), 0
         ))`,
        [id, clientId],
      )
      yield* audit.note({ at: createdAt, action: 'webhook.create', subject: id, clientId })
      return true
    }),

    list: reading(function* (clientId) {
      const found = yield* rows<WebhookRow>(
        'webhooks.list',
        `SELECT ${COLUMNS} FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL`,
        [clientId],
      )
      return found.map(mapping.toWebhook).toSorted(newestFirst)
    }),

    find: reading(function* (clientId, id) {
      const found = yield* row<WebhookRow>(
        'webhooks.find',
        `SELECT ${COLUMNS} FROM webhooks WHERE id = $1 AND client_id = $2 AND deleted_at IS NULL`,
        [id, clientId],
      )
      return found && mapping.toWebhook(found)
    }),

    change: writing(function* (clientId, id, change, at) {
      const locked = yield* lockAndFind(clientId, id)
      if (!locked) return undefined
      const { secrets: _, previousUntil: __, ...known } = locked
      const before = mapping.toWebhook(known)
      const after = changed(before, change)
      const details = changesOf(before, after)
      if (!details && change.state !== 'enabled') return before
      const isRepair = repairs(before, change)
      yield* rows(
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
        yield* rows(
          'webhooks.tryAtOnce',
          'UPDATE deliveries SET next_at = $2 WHERE webhook_id = $1 AND next_at > $2',
          [id, at],
        )
      if (change.state === 'disabled')
        yield* rows('webhooks.endReplays', 'DELETE FROM webhook_feeds WHERE webhook_id = $1 AND number > 0', [
          id,
        ])
      if (details) yield* audit.note({ at, action: 'webhook.change', subject: id, clientId, details })
      return after
    }),

    remove: writing(function* (clientId, id, at) {
      if (!(yield* lockAndFind(clientId, id))) return false
      yield* removeWebhook(id, at, { url: mapping.sealUrl(id, ''), secrets: mapping.sealSecrets(id, []) })
      yield* audit.note({ at, action: 'webhook.delete', subject: id, clientId })
      return true
    }),

    rotate: writing(function* (clientId, id, secret, at, until) {
      const locked = yield* lockAndFind(clientId, id)
      if (!locked) return 'unknown'
      if (locked.previousUntil !== null && locked.previousUntil > at) return 'underWay'
      const secrets = [secret, ...mapping.openSecrets(locked).slice(0, 1)]
      yield* rows(
        'webhooks.rotate',
        `UPDATE webhooks SET secrets = $2, previous_until = $3, probe_at = NULL, revision = revision + 1
         WHERE id = $1`,
        [id, mapping.sealSecrets(id, secrets), until],
      )
      const details = { oldSecretExpiresAt: new Date(until).toISOString() }
      yield* audit.note({ at, action: 'webhook.rotate', subject: id, clientId, details })
      return 'rotated'
    }),

    backlog: reading(backlog),

    deliveries: reading(function* (webhookId, { state }, page) {
      if (!(yield* isKept(webhookId))) return { rows: [], next: undefined }
      const walked = yield* walkBack(
        page,
        { least: 1, below: Number.MAX_SAFE_INTEGER },
        (window) => deliveriesIn(webhookId, state, window),
        state === undefined ? allRows : (below, least) => nextDeliveries(webhookId, below, least),
      )
      return placed(walked, ({ rowId: _, ...row }) => mapping.toDelivery(row))
    }),

    replay: writing(function* (webhookId, event, at) {
      if (!(yield* keep(webhookId))) return
      const delivery = { webhookId, ...event, state: 'pending' as const, step: 0, nextAt: at, attempts: [] }
      const { id, seq, eventId, type, state, step, nextAt, attempts } = mapping.toColumns(delivery)
      yield* rows(
        'webhooks.replay',
        `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM webhooks w
         WHERE w.id = $2 AND $3 > coalesce((SELECT seq FROM deleted_events d WHERE d.client_id = w.client_id), 0)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at`,
        [id, webhookId, seq, eventId, type, state, step, nextAt, attempts],
      )
    }),

    replayRange: writing(function* (webhookId, range) {
      if (!(yield* keep(webhookId))) return true
      if ((yield* backlog(webhookId))?.replay) return false
      const feed = yield* row<{ number: number }>(
        'webhooks.nextFeed',
        'UPDATE webhooks SET last_feed = last_feed + 1 WHERE id = $1 RETURNING last_feed AS number',
        [webhookId],
      )
      yield* rows(
        'webhooks.replayRange',
        'INSERT INTO webhook_feeds (webhook_id, number, after, up_to, count) VALUES ($1, $2, $3, $4, $5)',
        [webhookId, feed?.number, range.after, range.upTo, range.count],
      )
      return true
    }),
  }
}
