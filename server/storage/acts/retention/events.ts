import type { Pruned } from '../../ports.ts'
import { deliveryId } from '../../shared/webhooks/mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { deletePageOfRemoved } from '../webhooks/removed-webhooks.ts'

/** Events and their deliveries that one commit deletes, of so many partners. They lie side by side, so they cost few pages. */
const [EVENTS, PARTNERS] = [200, 50]

type Locking = Pick<Engine, 'lock' | 'forUpdate' | 'rowByRow'>

/** Deletes a page of a removed webhook, or else the oldest events of the partners behind `after`. */
export function* pruneEvents(engine: Locking, before: number, after: string): Act<Pruned> {
  if (yield* deletePageOfRemoved(engine)) return { deleted: 0, next: after }
  let [deleted, done, room] = [0, after, EVENTS]
  for (let looked = 0; looked < PARTNERS; looked += 1) {
    const partner = yield* row<{ clientId: string }>(
      'retention.partner',
      `SELECT client_id AS "clientId" FROM events WHERE client_id > $1 AND ${engine.rowByRow('events', 'seq')}
       ORDER BY client_id LIMIT 1`,
      [done],
    )
    if (!partner) return { deleted, next: undefined }
    const webhooks = yield* lockWebhooks(engine, partner.clientId)
    const limit = Math.floor(room / (1 + webhooks.length))
    const old = yield* deleteOldest(engine, partner.clientId, webhooks, { before, limit })
    deleted += old
    room -= old * (1 + webhooks.length)
    // The partner may have more.
    if (old === limit) return { deleted, next: done }
    done = partner.clientId
  }
  return { deleted, next: done }
}

/**
 * Locks the partner's webhooks, and returns their ids: until the commit no attempt is stored of them, which would see the
 * deleted events, and afterwards none is stored of those.
 */
function* lockWebhooks({ lock }: Locking, clientId: string): Act<string[]> {
  const theirs = 'FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL'
  yield* lock('retention.lockWebhooks', `SELECT 1 ${theirs} ORDER BY id`, [clientId])
  const found = yield* rows<{ id: string }>('retention.webhooks', `SELECT id ${theirs}`, [clientId])
  return found.map(({ id }) => id)
}

/** Deletes the oldest events of a partner, up to the first young one, with their deliveries. Returns the number of events. */
function* deleteOldest(
  { rowByRow }: Locking,
  clientId: string,
  webhooks: readonly string[],
  { before, limit }: { before: number; limit: number },
): Act<number> {
  const aged = yield* rows<{ seq: number; at: number }>(
    'retention.events',
    `SELECT seq, at FROM events WHERE client_id = $1 AND ${rowByRow('events', 'seq')} ORDER BY seq LIMIT $2`,
    [clientId, limit],
  )
  const young = aged.findIndex(({ at }) => at >= before)
  const old = young < 0 ? aged : aged.slice(0, young)
  const last = old.at(-1)
  if (!last) return 0
  yield* rows('retention.delete events', 'DELETE FROM events WHERE client_id = $1 AND seq <= $2', [
    clientId,
    last.seq,
  ])
  yield* rows(
    'retention.noteDeleted',
    `INSERT INTO deleted_events AS d (client_id, seq) VALUES ($1, $2)
     ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > d.seq`,
    [clientId, last.seq],
  )
  for (const id of webhooks)
    yield* rows('retention.delete deliveries', 'DELETE FROM deliveries WHERE id >= $1 AND id <= $2', [
      deliveryId(id, 0),
      deliveryId(id, last.seq),
    ])
  return old.length
}
