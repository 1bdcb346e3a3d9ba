import { HUB } from '../../../../security/actor.ts'
import type { Progress, WebhookQueue } from '../../../../webhooks/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { createWebhookMapping, type StandingRow, toBeStored } from '../../../shared/webhooks/mapping.ts'
import { withoutNulls } from '../../../shared/without-nulls.ts'
import { noteChangeIn } from '../../engine/audit-trail.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'
import { columns } from '../../rows/columns.ts'

export function createWebhookQueue(
  { write, vault }: PostgresDatabase,
  reads: Omit<WebhookQueue, 'store'>,
  { judgeProgress }: Pick<StorageRules, 'judgeProgress'>,
): WebhookQueue {
  const mapping = createWebhookMapping(vault)

  /** Locks the webhooks, and reads then what others have committed before. */
  async function lock(tx: Tx, ids: readonly string[]): Promise<Map<string, StandingRow>> {
    await tx.query(
      'webhookQueue.lock',
      'SELECT 1 FROM webhooks WHERE id = ANY($1::text[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
      [ids],
    )
    const rows = await tx.query<StandingRow>(
      'webhookQueue.standing',
      `SELECT w.id, w.client_id AS "clientId", w.state, w.revision, w.enabled_at AS "enabledAt",
         w.failing_since AS "failingSince", w.last_delivered_at AS "lastDeliveredAt",
         w.probe_at AS "probeAt",
         coalesce((SELECT seq FROM deleted_events d WHERE d.client_id = w.client_id), 0) AS "deletedUpTo"
       FROM webhooks w
       WHERE w.id = ANY($1::text[]) AND w.deleted_at IS NULL`,
      [ids],
    )
    return new Map(rows.map((row) => [row.id, row]))
  }

  async function putDeliveries(tx: Tx, known: readonly Known[]) {
    const rows = known.flatMap(({ one, row }) => toBeStored(one, row).map(mapping.toColumns))
    if (rows.length === 0) return
    // One statement may write a row once.
    const last = [...new Map(rows.map((row) => [row.id, row])).values()]
    await tx.query(
      'webhookQueue.put',
      `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
       SELECT id, webhook_id, seq, event_id, type, state, step, next_at, attempts
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::int[], $8::bigint[],
         $9::bytea[], $10::bigint[])
         AS r (id, webhook_id, seq, event_id, type, state, step, next_at, attempts, attempted_at)
       WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = r.id AND d.next_at > r.attempted_at)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at,
         attempts = excluded.attempts`,
      [
        ...columns(last, 'id', 'webhookId', 'seq', 'eventId', 'type', 'state', 'step', 'nextAt'),
        ...columns(last, 'attempts', 'attemptedAt'),
      ],
    )
  }

  async function moveFeeds(tx: Tx, known: readonly Known[]) {
    const rows = known.flatMap(({ one: { webhookId, revision, feeds }, row }) =>
      revision === row.revision
        ? feeds.map(({ number, after, sent = 0 }) => ({ webhookId, number, after, sent }))
        : [],
    )
    if (rows.length === 0) return
    await tx.query(
      'webhookQueue.move',
      `WITH ahead AS (
         SELECT webhook_id, number, max(after) AS after, sum(sent)::bigint AS sent
         FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS r (webhook_id, number, after, sent)
         GROUP BY 1, 2
       ), ended AS (
         DELETE FROM webhook_feeds f USING ahead a
         WHERE (f.webhook_id, f.number) = (a.webhook_id, a.number) AND f.up_to <= greatest(f.after, a.after)
       )
       UPDATE webhook_feeds f SET after = a.after, sent = f.sent + a.sent FROM ahead a
       WHERE (f.webhook_id, f.number) = (a.webhook_id, a.number) AND f.after < a.after
         AND (f.up_to IS NULL OR f.up_to > a.after)`,
      columns(rows, 'webhookId', 'number', 'after', 'sent'),
    )
  }

  async function setStandings(tx: Tx, known: readonly Known[], at: number) {
    const rows = known.map(({ one, row }) => {
      const judged = judgeProgress(withoutNulls(row), one, at)
      return { id: row.id, clientId: row.clientId, ...judged }
    })
    await tx.query(
      'webhookQueue.setStandings',
      `UPDATE webhooks w SET failing_since = r.failing_since, last_delivered_at = r.last_delivered_at,
         probe_at = r.probe_at, state = CASE WHEN r.disabled IS NULL THEN w.state ELSE 'disabled' END,
         disabled_reason = coalesce(r.disabled, w.disabled_reason)
       FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
         AS r (id, failing_since, last_delivered_at, probe_at, disabled)
       WHERE w.id = r.id`,
      columns(rows, 'id', 'failingSince', 'lastDeliveredAt', 'probeAt', 'disabled'),
    )
    for (const { id, clientId, disabled: reason } of rows)
      if (reason !== undefined)
        await noteChangeIn(tx, {
          ...{ by: HUB, at, action: 'webhook.disable', subject: id },
          details: { clientId, reason },
        })
  }

  return {
    ...reads,

    async store(progress, at) {
      if (progress.length === 0) return
      await write(async (tx) => {
        const rows = await lock(
          tx,
          progress.map(({ webhookId }) => webhookId),
        )
        const known = progress.flatMap((one) => {
          const row = rows.get(one.webhookId)
          return row ? [{ one, row }] : []
        })
        await putDeliveries(tx, known)
        await moveFeeds(tx, known)
        await setStandings(tx, known, at)
      })
    },
  }
}

/** What is stored of a webhook that is there. */
interface Known {
  one: Progress
  row: StandingRow
}
