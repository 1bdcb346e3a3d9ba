import { HUB } from '../../../security/actor.ts'
import type { Progress, WebhookQueue } from '../../../webhooks/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { createWebhookMapping, type StandingRow, toBeStored } from '../../shared/webhooks/mapping.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { createQueueReads } from './queue-reads.ts'

/** Webhooks in one commit. Payments wait for it, some two milliseconds in SQLite. */
const PAGE = 50

/** The progress of a webhook that exists, and its stored row. */
interface Known {
  one: Progress
  row: StandingRow
}

export function createWebhookQueue(
  engine: Engine,
  { judgeProgress }: Pick<StorageRules, 'judgeProgress'>,
): WebhookQueue {
  const { inPages, among, vault } = engine
  const mapping = createWebhookMapping(vault)
  const { putDelivery, moveFeed, setStanding } = prepare(engine)

  function* moveFeeds(known: readonly Known[]): Act<void> {
    const moved = known.flatMap(({ one: { webhookId, revision, feeds }, row }) =>
      revision === row.revision
        ? feeds.map(({ number, after, sent = 0 }) => ({ webhookId, number, after, sent }))
        : [],
    )
    yield* moveFeed(moved)
    const replayed = moved.flatMap(({ webhookId, number }) => (number > 0 ? webhookId : []))
    if (replayed.length > 0)
      yield* rows(
        'webhookQueue.endFeeds',
        `DELETE FROM webhook_feeds WHERE ${among('webhook_id', '$1')} AND after >= up_to`,
        [replayed],
      )
  }

  function* storePage(progress: readonly Progress[], at: number): Act<void> {
    const standing = yield* lockAll(
      engine,
      progress.map(({ webhookId }) => webhookId),
    )
    const known = progress.flatMap((one) => {
      const row = standing.get(one.webhookId)
      return row ? [{ one, row }] : []
    })
    const deliveries = known.flatMap(({ one, row }) => toBeStored(one, row).map(mapping.toColumns))
    // One statement must not write a row twice.
    yield* putDelivery([...new Map(deliveries.map((row) => [row.id, row])).values()])
    yield* moveFeeds(known)
    const judged = known.map(({ one, row }) => {
      const { id, clientId } = row
      return { id, clientId, ...judgeProgress(withoutNulls(row), one, at) }
    })
    yield* setStanding(judged)
    for (const { id, clientId, disabled: reason } of judged)
      if (reason !== undefined)
        yield* noteChange({
          ...{ by: HUB, at, action: 'webhook.disable', subject: id },
          details: { clientId, reason },
        })
  }

  return {
    ...createQueueReads(engine),

    async store(progress, at) {
      if (progress.length === 0) return
      await inPages(0, function* (from: number) {
        const to = from + PAGE
        yield* storePage(progress.slice(from, to), at)
        return { value: undefined, next: to < progress.length ? to : undefined }
      })
    },
  }
}

/** Locks the webhooks, then reads what others have committed before. */
function* lockAll({ lock, among }: Engine, ids: readonly string[]): Act<Map<string, StandingRow>> {
  const live = `FROM webhooks w WHERE ${among('w.id', '$1')} AND w.deleted_at IS NULL`
  yield* lock('webhookQueue.lock', `SELECT 1 ${live} ORDER BY w.id`, [ids])
  const found = yield* rows<StandingRow>(
    'webhookQueue.standing',
    `SELECT w.id, w.client_id AS "clientId", w.state, w.revision, w.enabled_at AS "enabledAt",
       w.failing_since AS "failingSince", w.last_delivered_at AS "lastDeliveredAt", w.probe_at AS "probeAt",
       coalesce((SELECT seq FROM deleted_events d WHERE d.client_id = w.client_id), 0) AS "deletedUpTo"
     ${live}`,
    [ids],
  )
  return new Map(found.map((row) => [row.id, row]))
}

function prepare({ perRow }: Pick<Engine, 'perRow'>) {
  return {
    putDelivery: perRow(
      'webhookQueue.put',
      {
        ...({ id: 'text', webhookId: 'text', seq: 'bigint', eventId: 'text', type: 'text' } as const),
        ...({ state: 'text', step: 'bigint', nextAt: 'bigint', attempts: 'bytea' } as const),
        ...({ attemptedAt: 'bigint' } as const),
      },
      (one, { from }) =>
        `INSERT INTO deliveries (id, webhook_id, seq, event_id, type, state, step, next_at, attempts)
         SELECT ${one.id}, ${one.webhookId}, ${one.seq}, ${one.eventId}, ${one.type}, ${one.state}, ${one.step},
           ${one.nextAt}, ${one.attempts}
         ${from}
         WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${one.id} AND d.next_at > ${one.attemptedAt})
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, step = excluded.step, next_at = excluded.next_at,
           attempts = excluded.attempts`,
    ),
    moveFeed: perRow(
      'webhookQueue.move',
      { webhookId: 'text', number: 'bigint', after: 'bigint', sent: 'bigint' },
      (one, { from }) =>
        `UPDATE webhook_feeds SET after = ${one.after}, sent = webhook_feeds.sent + ${one.sent} ${from}
         WHERE webhook_id = ${one.webhookId} AND webhook_feeds.number = ${one.number}
           AND webhook_feeds.after < ${one.after}`,
    ),
    setStanding: perRow(
      'webhookQueue.setStanding',
      {
        ...({ id: 'text', failingSince: 'bigint', lastDeliveredAt: 'bigint', probeAt: 'bigint' } as const),
        ...({ disabled: 'text' } as const),
      },
      (one, { from }) =>
        `UPDATE webhooks SET failing_since = ${one.failingSince}, last_delivered_at = ${one.lastDeliveredAt},
           probe_at = ${one.probeAt}, state = CASE WHEN ${one.disabled} IS NULL THEN state ELSE 'disabled' END,
           disabled_reason = coalesce(${one.disabled}, disabled_reason)
         ${from} WHERE webhooks.id = ${one.id}`,
    ),
  }
}
