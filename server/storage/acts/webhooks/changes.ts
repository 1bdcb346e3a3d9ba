import { type Actor, ownerOf } from '../../../security/actor.ts'
import type { WebhookRecords } from '../../../webhooks/ports.ts'
import type { Webhook } from '../../../webhooks/webhook.ts'
import type { StorageRules } from '../../rules.ts'
import { createWebhookMapping, WEBHOOK, type WebhookRow, writeTypes } from '../../shared/webhooks/mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { removeWebhook } from './removed-webhooks.ts'

/** The changes of webhooks by their partners, each with its audit row. */
export function createWebhookChanges(
  engine: Engine,
  { mostWebhooks, afterChange }: Pick<StorageRules, 'mostWebhooks' | 'afterChange'>,
): Pick<WebhookRecords, 'add' | 'change' | 'remove' | 'rotate'> {
  const { writing, lock } = engine
  const mapping = createWebhookMapping(engine.vault)

  return {
    add: writing(function* (by, webhook, secret) {
      const { id, clientId, createdAt: at } = webhook
      // Whoever adds another one of the partner waits here, and counts then what this one has committed.
      yield* lock('webhooks.lockPartner', 'SELECT 1 FROM partners WHERE client_id = $1', [clientId])
      const known = yield* row<{ count: number }>(
        'webhooks.count',
        'SELECT count(*) AS count FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL',
        [clientId],
      )
      if ((known?.count ?? 0) >= mostWebhooks) return false
      yield* insert(webhook, mapping.sealUrl(id, webhook.url), mapping.sealSecrets(id, [secret]))
      yield* noteChange({ by, at, action: 'webhook.create', subject: id })
      return true
    }),

    change: writing(function* (by, id, change, at) {
      const locked = yield* lockAndFind(engine, by, id)
      if (!locked) return undefined
      const { secrets: _, previousUntil: __, ...known } = locked
      const before = mapping.toWebhook(known)
      const { after, changes: details, isRepair } = afterChange(before, change)
      if (!details && change.state !== 'enabled') return before
      yield* update(after, mapping.sealUrl(id, after.url), isRepair ? at : undefined)
      if (change.state === 'disabled')
        yield* rows('webhooks.endReplays', 'DELETE FROM webhook_feeds WHERE webhook_id = $1 AND number > 0', [
          id,
        ])
      if (details) yield* noteChange({ by, at, action: 'webhook.change', subject: id, details })
      return after
    }),

    remove: writing(function* (by, id, at) {
      if (!(yield* lockAndFind(engine, by, id))) return false
      yield* removeWebhook(id, at, { url: mapping.sealUrl(id, ''), secrets: mapping.sealSecrets(id, []) })
      yield* noteChange({ by, at, action: 'webhook.delete', subject: id })
      return true
    }),

    rotate: writing(function* (by, id, secret, at, until) {
      const locked = yield* lockAndFind(engine, by, id)
      if (!locked) return 'unknown'
      if (locked.previousUntil !== null && locked.previousUntil > at) return 'underWay'
      const secrets = [secret, ...mapping.open(locked).secrets.slice(0, 1)]
      yield* rows(
        'webhooks.rotate',
        `UPDATE webhooks SET secrets = $2, previous_until = $3, probe_at = NULL, revision = revision + 1
         WHERE id = $1`,
        [id, mapping.sealSecrets(id, secrets), until],
      )
      const details = { oldSecretExpiresAt: new Date(until).toISOString() }
      yield* noteChange({ by, at, action: 'webhook.rotate', subject: id, details })
      return 'rotated'
    }),
  }
}

/** Locks a webhook that the actor may change. */
function lockAndFind({ forUpdate, ifGiven }: Engine, by: Actor, id: string) {
  const owner = ownerOf(by)
  return row<WebhookRow & { secrets: Buffer; previousUntil: number | null }>(
    'webhooks.lock',
    `SELECT ${WEBHOOK}, secrets, previous_until AS "previousUntil" FROM webhooks
     WHERE id = $1 AND ${ifGiven(owner, '$2', 'text', 'client_id = $2')} AND deleted_at IS NULL ${forUpdate}`,
    [id, owner],
  )
}

/** Adds a webhook with its first feed, which begins at the newest event. */
function* insert(
  { id, clientId, types, description, createdAt }: Webhook,
  url: Buffer,
  secrets: Buffer,
): Act<void> {
  yield* rows(
    'webhooks.add',
    `INSERT INTO webhooks (id, client_id, url, secrets, types, description, state, created_at, enabled_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'enabled', $7, $7)`,
    [id, clientId, url, secrets, writeTypes(types), description, createdAt],
  )
  yield* rows(
    'webhooks.addFirstFeed',
    `INSERT INTO webhook_feeds (webhook_id, number, after) VALUES ($1, 0, coalesce(
       (SELECT seq FROM events WHERE client_id = $2 ORDER BY seq DESC LIMIT 1),
       (SELECT seq FROM deleted_events WHERE client_id = $2), 0
     ))`,
    [id, clientId],
  )
}

/** `repairedAt`: all that is pending is due then. */
function* update(after: Webhook, url: Buffer, repairedAt: number | undefined): Act<void> {
  const { id, types, description, state, disabledReason, failingSince } = after
  yield* rows(
    'webhooks.change',
    `UPDATE webhooks SET url = $2, types = $3, description = $4, state = $5, disabled_reason = $6,
       failing_since = $7, enabled_at = coalesce($8, enabled_at), probe_at = NULL, revision = revision + 1
     WHERE id = $1`,
    [id, url, writeTypes(types), description, state, disabledReason, failingSince, repairedAt],
  )
  if (repairedAt !== undefined)
    yield* rows(
      'webhooks.tryAtOnce',
      'UPDATE deliveries SET next_at = $2 WHERE webhook_id = $1 AND next_at > $2',
      [id, repairedAt],
    )
}
