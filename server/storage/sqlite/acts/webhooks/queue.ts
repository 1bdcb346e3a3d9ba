import { HUB } from '../../../../security/actor.ts'
import type { Vault } from '../../../../security/vault.ts'
import type { Progress, WebhookQueue } from '../../../../webhooks/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import {
  createWebhookMapping,
  type DeliveryColumns,
  type StandingRow,
  toBeStored,
} from '../../../shared/webhooks/mapping.ts'
import { withoutNulls } from '../../../shared/without-nulls.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { noteChangeOn } from '../../schema/audit-trail.ts'

/** Webhooks whose attempts one commit stores: some two milliseconds, for which payments wait. */
const PAGE = 50

export function createWebhookQueue(
  { sqlite, commits }: OpenDatabase,
  vault: Vault,
  reads: Omit<WebhookQueue, 'store'>,
  { judgeProgress }: Pick<StorageRules, 'judgeProgress'>,
): WebhookQueue {
  const mapping = createWebhookMapping(vault)
  const standing = sqlite.prepare<[id: string], StandingRow>(
    `SELECT id, client_id AS clientId, state, revision, enabled_at AS enabledAt, failing_since AS failingSince,
       last_delivered_at AS lastDeliveredAt, probe_at AS probeAt,
       coalesce((SELECT seq FROM deleted_events d WHERE d.client_id = webhooks.client_id), 0) AS deletedUpTo
     FROM webhooks WHERE id = ? AND deleted_at IS NULL`,
  )
  const put = sqlite.prepare<DeliveryColumns>(
    `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
     VALUES (@id, @webhookId, @seq, @eventId, @type, @state, @step, @nextAt, @attempts)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at,
       attempts = excluded.attempts
     WHERE coalesce(deliveries.next_at, 0) <= @attemptedAt`,
  )
  const move = sqlite.prepare<{ webhookId: string; number: number; after: number; sent: number }>(
    `UPDATE webhook_feeds SET after = @after, sent = sent + @sent
     WHERE webhook_id = @webhookId AND number = @number AND after < @after`,
  )
  const endFeeds = sqlite.prepare<[webhookId: string]>(
    'DELETE FROM webhook_feeds WHERE webhook_id = ? AND after >= up_to',
  )
  const setStanding = sqlite.prepare(
    `UPDATE webhooks SET failing_since = @failingSince, last_delivered_at = @lastDeliveredAt,
       probe_at = @probeAt, state = CASE WHEN @disabled IS NULL THEN state ELSE 'disabled' END,
       disabled_reason = coalesce(@disabled, disabled_reason)
     WHERE id = @id`,
  )

  function storeOne(one: Progress, at: number) {
    const { webhookId, feeds: moved } = one
    const row = standing.get(webhookId)
    if (!row) return
    for (const delivery of toBeStored(one, row)) put.run(mapping.toColumns(delivery))
    if (row.revision === one.revision)
      for (const { number, after, sent = 0 } of moved) move.run({ webhookId, number, after, sent })
    if (moved.some(({ number }) => number > 0)) endFeeds.run(webhookId)
    const judged = judgeProgress(withoutNulls(row), one, at)
    const { failingSince = null, lastDeliveredAt = null, probeAt = null, disabled = null } = judged
    setStanding.run({ id: webhookId, failingSince, lastDeliveredAt, probeAt, disabled })
    if (disabled === null) return
    const details = { clientId: row.clientId, reason: disabled }
    noteChangeOn(sqlite, { by: HUB, at, action: 'webhook.disable', subject: webhookId, details })
  }

  return {
    ...reads,

    store: (progress, at) =>
      commits.writePages(0, (from) => {
        for (const one of progress.slice(from, from + PAGE)) storeOne(one, at)
        return { value: undefined, next: from + PAGE < progress.length ? from + PAGE : undefined }
      }),
  }
}
