import type { EventLog } from '../../../events/ports.ts'
import type { PostgresDatabase } from '../engine/database.ts'

/** Removed rows of the queue after which it is vacuumed. */
const VACUUM_EVERY = 50_000

/**
 * Gives events their seqs.
 *
 * Why after the commit, by one transaction at a time: see the table event_queue. Whoever waits for the row of
 * event_sequence gives seqs above those that the one before has committed.
 * Held by test/whole/server/storage/postgres/event-order.test.ts.
 *
 * Why it vacuums: each step reads past the rows that earlier ones have removed, and autovacuum comes once a minute. At
 * 20,000 events a second a step took three times as long by then, measured.
 */
export function createNumberEvents({ read, write, writeAlone }: PostgresDatabase): EventLog['number'] {
  let removed = 0

  async function number(most: number): Promise<number> {
    // A hub asks many times a second, and often nothing waits: then there is no transaction.
    const waiting = await read('events.waiting', 'SELECT 1 FROM event_queue LIMIT 1')
    if (waiting.length === 0) return 0
    return await write(async (tx) => {
      const [, moved] = await Promise.all([
        // In a statement of its own: the next one sees what the holder before has committed.
        tx.query('events.lock', 'SELECT 1 FROM event_sequence FOR UPDATE'),
        tx.query(
          'events.number',
          `WITH moved AS (
             DELETE FROM event_queue
             WHERE number = ANY(ARRAY(SELECT number FROM event_queue ORDER BY number LIMIT $1))
             RETURNING *
           ), placed AS (
             SELECT *, row_number() OVER (PARTITION BY client_id ORDER BY number) AS place FROM moved
           ), base AS MATERIALIZED (
             SELECT greatest(last, clock_ms() * 1000, (SELECT max(at) FROM moved) * 1000) AS seq FROM event_sequence
           ), risen AS (
             UPDATE event_sequence
             SET last = (SELECT seq FROM base) + coalesce((SELECT max(place) FROM placed), 0)
           )
           INSERT INTO events (client_id, seq, at, type, subject, data)
           SELECT p.client_id, b.seq + p.place, p.at, p.type, p.subject, p.data FROM placed p, base b
           RETURNING 1`,
          [most],
        ),
      ])
      return moved.length
    })
  }

  return async (most) => {
    const numbered = await number(most)
    removed += numbered
    if (removed >= VACUUM_EVERY) {
      removed = 0
      // No step waits for it. If it fails, autovacuum does it later.
      writeAlone('events.vacuum', 'VACUUM (SKIP_LOCKED, TRUNCATE false) event_queue').catch(() => undefined)
    }
    return numbered
  }
}
