import type { Vault } from '../../../../security/vault.ts'
import type { ReplayRange, WebhookRecords } from '../../../../webhooks/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { allRows, placed, walkBack } from '../../../shared/walk-back.ts'
import {
  type BacklogRow,
  changed,
  changesOf,
  createWebhookMapping,
  type DeliveryColumns,
  type DeliveryRow,
  deliveryId,
  newestFirst,
  repairs,
  toBacklog,
  type WebhookRow,
  writeTypes,
} from '../../../shared/webhooks/mapping.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { reading } from '../../engine/map-driver-errors.ts'
import { createRemovedWebhooks } from '../../rows/removed-webhooks.ts'
import { DELIVERY } from './delivery-columns.ts'

/** Deliveries that one read looks at for those of a state: about a millisecond. */
const LOOKED_AT = 1_000

const COLUMNS = `id, client_id AS clientId, url, types, description, state, disabled_reason AS disabledReason,
  created_at AS createdAt, failing_since AS failingSince, last_delivered_at AS lastDeliveredAt`

export function createWebhookRecords(
  { orm, writing, audit }: OpenDatabase,
  vault: Vault,
  { mostWebhooks }: Pick<StorageRules, 'mostWebhooks'>,
): WebhookRecords {
  const { $client: sqlite } = orm
  const mapping = createWebhookMapping(vault)
  const removed = createRemovedWebhooks(orm)
  const add = sqlite.prepare(
    `INSERT INTO webhooks (id, client_id, url, secrets, types, description, state, created_at, enabled_at)
     SELECT @id, @clientId, @url, @secrets, @types, @description, 'enabled', @createdAt, @createdAt
     WHERE (SELECT count(*) FROM webhooks WHERE client_id = @clientId AND deleted_at IS NULL) < ${mostWebhooks}`,
  )
  const addFirstFeed = sqlite.prepare<{ id: string; clientId: string }>(
    `INSERT INTO webhook_feeds (webhook_id, number, after)
     VALUES (@id, 0, coalesce(
       (SELECT max(seq) FROM events WHERE client_id = @clientId),
       (SELECT seq FROM deleted_events WHERE client_id = @clientId), 0
     ))`,
  )
  const all = sqlite.prepare<[clientId: string], WebhookRow>(
    `SELECT ${COLUMNS} FROM webhooks WHERE client_id = ? AND deleted_at IS NULL`,
  )
  const one = sqlite.prepare<[id: string, clientId: string], WebhookRow>(
    `SELECT ${COLUMNS} FROM webhooks WHERE id = ? AND client_id = ? AND deleted_at IS NULL`,
  )
  const store = sqlite.prepare(
    `UPDATE webhooks SET url = @url, types = @types, description = @description, state = @state,
       disabled_reason = @disabledReason, failing_since = @failingSince, enabled_at = coalesce(@enabledAt, enabled_at),
       probe_at = NULL, revision = revision + 1
     WHERE id = @id`,
  )
  const tryAtOnce = sqlite.prepare<[at: number, webhookId: string, dueLater: number]>(
    'UPDATE deliveries SET next_at = ? WHERE webhook_id = ? AND next_at > ?',
  )
  const secretsOf = sqlite.prepare<
    [id: string, clientId: string],
    { id: string; secrets: Buffer; previousUntil: number | null }
  >(
    `SELECT id, secrets, previous_until AS previousUntil FROM webhooks
     WHERE id = ? AND client_id = ? AND deleted_at IS NULL`,
  )
  const rotate = sqlite.prepare<[secrets: Buffer, until: number, id: string]>(
    'UPDATE webhooks SET secrets = ?, previous_until = ?, probe_at = NULL, revision = revision + 1 WHERE id = ?',
  )
  const found = sqlite.prepare<[from: string, below: string, limit: number], DeliveryRow>(
    `SELECT ${DELIVERY} FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  const foundOfState = sqlite.prepare<
    [from: string, below: string, state: string, limit: number],
    DeliveryRow
  >(`SELECT ${DELIVERY} FROM deliveries WHERE id >= ? AND id < ? AND state = ? ORDER BY id DESC LIMIT ?`)
  const lastLookedAt = sqlite
    .prepare<[from: string, below: string], number>(
      `SELECT seq FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
    )
    .pluck()
  const isKept = sqlite.prepare<[id: string]>('SELECT 1 FROM webhooks WHERE id = ? AND deleted_at IS NULL')
  const sendAgain = sqlite.prepare<DeliveryColumns>(
    `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
     SELECT @id, @webhookId, @seq, @eventId, @type, @state, @step, @nextAt, @attempts
     FROM webhooks w LEFT JOIN deleted_events d ON d.client_id = w.client_id
     WHERE w.id = @webhookId AND w.deleted_at IS NULL AND @seq > coalesce(d.seq, 0)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at`,
  )
  const backlog = sqlite.prepare<[id: string], BacklogRow>(
    `SELECT after, count, sent, probe_at AS probeAt FROM webhooks JOIN webhook_feeds ON webhook_id = id
     WHERE id = ? AND deleted_at IS NULL ORDER BY number LIMIT 2`,
  )
  const endReplays = sqlite.prepare<[id: string]>(
    'DELETE FROM webhook_feeds WHERE webhook_id = ? AND number > 0',
  )
  const nextFeed = sqlite
    .prepare<[id: string], number>(
      `UPDATE webhooks SET last_feed = last_feed + 1 WHERE id = ? AND deleted_at IS NULL RETURNING last_feed`,
    )
    .pluck()
  const addFeed = sqlite.prepare<ReplayRange & { id: string; number: number }>(
    'INSERT INTO webhook_feeds (webhook_id, number, after, up_to, count) VALUES (@id, @number, @after, @upTo, @count)',
  )

  const find = (clientId: string, id: string) => {
    const row = one.get(id, clientId)
    return row && mapping.toWebhook(row)
  }

  return {
    add: writing((webhook, secret) => {
      const { id, clientId, createdAt, description } = webhook
      const { changes } = add.run({
        ...{ id, clientId, createdAt, description, types: writeTypes(webhook.types) },
        ...{ url: mapping.sealUrl(id, webhook.url), secrets: mapping.sealSecrets(id, [secret]) },
      })
      if (changes === 0) return false
      addFirstFeed.run({ id, clientId })
      audit.note({ at: createdAt, action: 'webhook.create', subject: id, clientId })
      return true
    }),

    list: reading((clientId) => all.all(clientId).map(mapping.toWebhook).toSorted(newestFirst)),

    find: reading(find),

    change: writing((clientId, id, change, at) => {
      const before = find(clientId, id)
      if (!before) return undefined
      const after = changed(before, change)
      const details = changesOf(before, after)
      if (!details && change.state !== 'enabled') return before
      const { description, state, disabledReason = null, failingSince = null } = after
      const isRepair = repairs(before, change)
      store.run({
        ...{ id, description, state, disabledReason, failingSince, types: writeTypes(after.types) },
        ...{ url: mapping.sealUrl(id, after.url), enabledAt: isRepair ? at : null },
      })
      if (isRepair) tryAtOnce.run(at, id, at)
      if (change.state === 'disabled') endReplays.run(id)
      if (details) audit.note({ at, action: 'webhook.change', subject: id, clientId, details })
      return after
    }),

    remove: writing((clientId, id, at) => {
      if (!one.get(id, clientId)) return false
      removed.remove(id, at, { url: mapping.sealUrl(id, ''), secrets: mapping.sealSecrets(id, []) })
      audit.note({ at, action: 'webhook.delete', subject: id, clientId })
      return true
    }),

    rotate: writing((clientId, id, secret, at, until) => {
      const row = secretsOf.get(id, clientId)
      if (!row) return 'unknown'
      if (row.previousUntil !== null && row.previousUntil > at) return 'underWay'
      const [previous] = mapping.openSecrets(row)
      rotate.run(mapping.sealSecrets(id, [secret, ...(previous === undefined ? [] : [previous])]), until, id)
      const details = { oldSecretExpiresAt: new Date(until).toISOString() }
      audit.note({ at, action: 'webhook.rotate', subject: id, clientId, details })
      return 'rotated'
    }),

    backlog: reading((webhookId) => toBacklog(backlog.all(webhookId))),

    deliveries: reading(async (webhookId, { state }, page) => {
      if (!isKept.get(webhookId)) return { rows: [], next: undefined }
      const between = (from: number, below: number) =>
        [deliveryId(webhookId, from), deliveryId(webhookId, below)] as const
      const choose = (top: number, least: number) => ({
        from: lastLookedAt.get(...between(least, top)) ?? least,
        below: top,
      })
      const walked = await walkBack(
        page,
        { least: 1, below: Number.MAX_SAFE_INTEGER },
        ({ from, below, limit }) => {
          const rows =
            state === undefined
              ? found.all(...between(from, below), limit)
              : foundOfState.all(...between(from, below), state, limit)
          return rows.map((row) => ({ ...row, rowId: row.seq }))
        },
        state === undefined ? allRows : choose,
      )
      return placed(walked, ({ rowId: _, ...row }) => mapping.toDelivery(row))
    }),

    replay: writing((webhookId, event, at) => {
      const delivery = { webhookId, ...event, state: 'pending' as const, step: 0, nextAt: at, attempts: [] }
      sendAgain.run(mapping.toColumns(delivery))
    }),

    replayRange: writing((webhookId, range) => {
      if (toBacklog(backlog.all(webhookId))?.replay) return false
      const number = nextFeed.get(webhookId)
      if (number !== undefined) addFeed.run({ ...range, id: webhookId, number })
      return true
    }),
  }
}
