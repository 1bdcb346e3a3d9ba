import { type Act, type Engine, row, rows } from '../../acts/act.ts'
import type { WholePartitions } from '../../acts/retention/retention.ts'
import { ddl, isLockedOut, lockPartitions, NOTHING, type Partition, spanOf, WAIT } from './partitions.ts'

/** Microseconds of a millisecond: seqs are microseconds. */
const MICRO = 1_000
/** Deliveries that one commit deletes. */
const PAGE = 500

/** Drops partitions of events. The newest one has no end: if nobody makes the next one, it goes on. */
export function createEventPartitions({ reading, writing }: Engine): WholePartitions['pruneEvents'] {
  const acts = {
    ...{ newest: reading(readNewest), old: reading(readOld), make: writing(make) },
    ...{ note: writing(note), deleteDeliveries: writing(deleteDeliveries), drop: writing(drop) },
  }

  /** Ends the newest partition, which should be empty still, when it is about to begin. */
  async function makeNext(before: number) {
    const newest = await acts.newest()
    if (!newest) return
    const [beginsAt, spanMs] = [newest.least / MICRO, spanOf(newest.now - before)]
    if (beginsAt - newest.now < spanMs)
      await acts.make(newest, Math.ceil(Math.max(beginsAt, newest.now) + spanMs) * MICRO)
  }

  return async function pruneEvents(before) {
    try {
      await makeNext(before)
      const old = await acts.old(before)
      if (!old) return NOTHING
      if (old.copiedTo < old.below) await acts.note(old)
      const deliveries = await acts.deleteDeliveries(old)
      return { deleted: deliveries.length === PAGE ? 0 : await acts.drop(old), next: '' }
    } catch (error) {
      // It waits for no act. The next pass tries again.
      if (isLockedOut(error)) return NOTHING
      throw error
    }
  }
}

const readNewest = () =>
  row<{ number: number; least: number; now: number }>(
    'partitions.newestEvents',
    "SELECT number, least, clock_ms() AS now FROM partitions WHERE series = 'events' ORDER BY number DESC LIMIT 1",
  )

const readOld = (before: number) =>
  row<Partition>(
    'partitions.oldEvents',
    `SELECT p.number, p.least, p.copied_to AS "copiedTo", n.least AS below
     FROM partitions p JOIN partitions n ON n.series = p.series AND n.number = p.number + 1
     WHERE p.series = 'events' AND p.is_whole AND n.least <= $1 ORDER BY p.number LIMIT 1`,
    [before * MICRO],
  )

/** Gives the newest partition an end, and makes one behind it. */
function* make({ number, least }: Pick<Partition, 'number' | 'least'>, end: number): Act<void> {
  yield* lockPartitions()
  const made = yield* rows(
    'partitions.addEvents',
    `INSERT INTO partitions (series, number, least, is_whole, begun_at, copied_to)
     VALUES ('events', $1, $2, true, $3, 0) ON CONFLICT DO NOTHING RETURNING 1`,
    [number + 1, end, end / MICRO],
  )
  if (made.length === 0) return
  for (const text of [
    WAIT,
    `ALTER TABLE events DETACH PARTITION events_${number}`,
    `ALTER TABLE events ATTACH PARTITION events_${number} FOR VALUES FROM (${least}) TO (${end})`,
    `CREATE TABLE events_${number + 1} PARTITION OF events FOR VALUES FROM (${end}) TO (MAXVALUE)`,
  ])
    yield* ddl(text)
}

/** From this commit on, nobody reads the events, and no attempt is stored of them. */
function* note({ number, below }: Partition): Act<void> {
  yield* rows('partitions.lockWebhooks', 'SELECT 1 FROM webhooks ORDER BY id FOR NO KEY UPDATE')
  yield* rows(
    `partitions.note events_${number}`,
    // A scan that leaps from partner to partner.
    `WITH RECURSIVE partners AS (
       SELECT min(client_id) AS client_id FROM events_${number}
       UNION ALL
       SELECT (SELECT min(e.client_id) FROM events_${number} e WHERE e.client_id > p.client_id)
       FROM partners p WHERE p.client_id IS NOT NULL
     )
     INSERT INTO deleted_events AS d (client_id, seq)
     SELECT p.client_id, (SELECT max(e.seq) FROM events_${number} e WHERE e.client_id = p.client_id)
     FROM partners p WHERE p.client_id IS NOT NULL
     ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > d.seq`,
  )
  yield* rows(
    'partitions.noted',
    "UPDATE partitions SET copied_to = $2 WHERE series = 'events' AND number = $1",
    [number, below],
  )
}

const deleteDeliveries = ({ below }: Partition) =>
  rows(
    'partitions.deliveries',
    `DELETE FROM deliveries WHERE id = ANY(ARRAY(
       SELECT d.id FROM webhooks w, LATERAL (
         SELECT id FROM deliveries WHERE id > w.id || '/' AND id < w.id || '/' || lpad($1::text, 16, '0')
         ORDER BY id LIMIT ${PAGE}
       ) d LIMIT ${PAGE}
     )) RETURNING 1`,
    [below],
  )

/** Returns about how many events it had. */
function* drop({ number }: Partition): Act<number> {
  yield* lockPartitions()
  const gone = yield* rows(
    'partitions.deleteEvents',
    "DELETE FROM partitions WHERE series = 'events' AND number = $1 RETURNING 1",
    [number],
  )
  if (gone.length === 0) return 0
  const counted = yield* row<{ count: number }>(
    'partitions.countEvents',
    'SELECT greatest(reltuples, 0)::bigint AS count FROM pg_class WHERE oid = to_regclass($1)',
    [`events_${number}`],
  )
  for (const text of [
    WAIT,
    `ALTER TABLE events DETACH PARTITION events_${number}`,
    `DROP TABLE events_${number}`,
  ])
    yield* ddl(text)
  return counted?.count ?? 0
}
