import { EVENT_TYPES, timeAtSeq } from '../../../events/event.ts'
import type { WebhookRecords } from '../../../webhooks/ports.ts'
import type { Backlog } from '../../../webhooks/webhook.ts'
import { createWebhookMapping, type DeliveryRow, deliveryId } from '../../shared/webhooks/mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { allRows, placed, type Range, type Window, walkBack } from '../lists/walk-back.ts'

/** The columns of a DeliveryRow. */
export const DELIVERY =
  'webhook_id AS "webhookId", seq, event_id AS "eventId", type, state, step, next_at AS "nextAt", attempts'

/** Events that are counted. */
const COUNTED = 5_000

const between = (id: string, { from, below }: Range) => [deliveryId(id, from), deliveryId(id, below)]

/** What a webhook has got, and what it has still to get. */
export function createDeliveryRecords(
  engine: Engine,
): Pick<WebhookRecords, 'backlog' | 'held' | 'deliveries' | 'replay' | 'replayRange'> {
  const { reading, writing, forUpdate, among } = engine
  const mapping = createWebhookMapping(engine.vault)

  /** Undefined when it was deleted. With `forUpdate` it stays as it is until the commit. */
  const find = (id: string, lock: Engine['forUpdate'] = '') =>
    row(`webhooks.isKept ${lock}`, `SELECT 1 FROM webhooks WHERE id = $1 AND deleted_at IS NULL ${lock}`, [
      id,
    ])

  return {
    backlog: reading(backlog),

    held: reading(function* ({ id, clientId, types }, after) {
      const pending = yield* row<{ count: number }>(
        'webhooks.countPending',
        `SELECT count(*) AS count FROM (
           SELECT 1 FROM deliveries WHERE webhook_id = $1 AND next_at IS NOT NULL LIMIT ${COUNTED}
         ) d`,
        [id],
      )
      const waiting = yield* row<{ count: number }>(
        'webhooks.countWaiting',
        `SELECT count(*) AS count FROM (
           SELECT e.type FROM events e WHERE e.client_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${COUNTED}
         ) e WHERE ${among('e.type', '$3')}`,
        [clientId, after, types ?? EVENT_TYPES],
      )
      const counts = [pending?.count ?? 0, waiting?.count ?? 0]
      return {
        count: counts.reduce((sum, count) => sum + count, 0),
        isMore: counts.some((count) => count === COUNTED),
      }
    }),

    deliveries: reading(function* (webhookId, { state }, page) {
      if (!(yield* find(webhookId))) return { rows: [], next: undefined }
      const walked = yield* walkBack(
        page,
        { least: 1, below: Number.MAX_SAFE_INTEGER },
        (window) => deliveriesIn(engine, webhookId, state, window),
        state === undefined ? allRows : (below, least) => nextDeliveries(engine, webhookId, below, least),
      )
      return placed(walked, ({ rowId: _, ...row }) => mapping.toDelivery(row))
    }),

    replay: writing(function* (by, webhookId, event, at) {
      if (!(yield* find(webhookId, forUpdate))) return
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
      yield* noteChange({ by, at, action: 'webhook.replay', subject: webhookId, details: { event: eventId } })
    }),

    replayRange: writing(function* (by, webhookId, { after, upTo, count }, at) {
      if (!(yield* find(webhookId, forUpdate))) return true
      if ((yield* backlog(webhookId))?.replay) return false
      const feed = yield* row<{ number: number }>(
        'webhooks.nextFeed',
        'UPDATE webhooks SET last_feed = last_feed + 1 WHERE id = $1 RETURNING last_feed AS number',
        [webhookId],
      )
      yield* rows(
        'webhooks.replayRange',
        'INSERT INTO webhook_feeds (webhook_id, number, after, up_to, count) VALUES ($1, $2, $3, $4, $5)',
        [webhookId, feed?.number, after, upTo, count],
      )
      yield* noteChange({
        ...{ by, at, action: 'webhook.replay', subject: webhookId },
        details: { count, range: [timeOfSeq(after + 1), timeOfSeq(upTo)] },
      })
      return true
    }),
  }
}

/** Seqs follow the clock. */
const timeOfSeq = (seq: number) => new Date(timeAtSeq(seq)).toISOString()

function* deliveriesIn({ ifGiven }: Engine, id: string, state: string | undefined, window: Window) {
  const found = yield* rows<DeliveryRow>(
    'webhooks.deliveries',
    `SELECT ${DELIVERY} FROM deliveries
     WHERE id >= $1 AND id < $2 AND ${ifGiven(state, '$3', 'text', 'state = $3')} ORDER BY id DESC LIMIT $4`,
    [...between(id, window), state, window.limit],
  )
  return found.map((row) => ({ ...row, rowId: row.seq }))
}

/** The next rows of the webhook, whatever their state. */
function* nextDeliveries({ scanned }: Engine, id: string, below: number, least: number): Act<Range> {
  const last = yield* row<{ seq: number }>(
    'webhooks.lastLookedAt',
    `SELECT seq FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET ${scanned - 1}`,
    between(id, { from: least, below }),
  )
  return { from: last?.seq ?? least, below }
}

/** Of the first two feeds of a webhook by their numbers, the second one sends a range again. */
function* backlog(id: string): Act<Backlog | undefined> {
  const [first, range] = yield* rows<{ after: number; count: number; sent: number; probeAt: number | null }>(
    'webhooks.backlog',
    `SELECT f.after, f.count, f.sent, w.probe_at AS "probeAt"
     FROM webhooks w JOIN webhook_feeds f ON f.webhook_id = w.id
     WHERE w.id = $1 AND w.deleted_at IS NULL ORDER BY f.number LIMIT 2`,
    [id],
  )
  if (!first) return undefined
  return {
    after: first.after,
    probeAt: first.probeAt ?? undefined,
    // Events that were added to the log late may be sent as well.
    replay: range && { count: range.count, sent: Math.min(range.sent, range.count) },
  }
}
