import { eventId, readEventId } from '../../../events/event-id.ts'
import type { EventLog } from '../../../events/ports.ts'
import type { StorageRules } from '../../rules.ts'
import {
  type AnnouncementSubjectRow,
  LOOKED_AT,
  numbersOf,
  type OutlineRow,
  type PaymentSubjectRow,
  pageOf,
  type StoredEventRow,
  toOutline,
  toStoredEvents,
} from '../../shared/events/mapping.ts'
import type { PostgresDatabase } from '../engine/database.ts'

/** Events that get their seqs in one commit. */
const NUMBERED = 1_000

const COLUMNS = 'seq, at, type, subject, data'
const PAYMENT = `p.id, p.ft_code AS "ftCode", p.trace_transfer AS "traceTransfer", p.terminal_id AS "terminalID",
  p.store_id AS "storeId", p.bank_code AS "bankCode", p.bill_number AS "billNumber", p.amount, p.paid_at AS "paidAt",
  p.received_at AS "receivedAt", p.outcome`

/**
 * Reads events, each with the row that it refers to, and gives them their seqs.
 *
 * Why seqs are given after the commit, by one transaction at a time: see the table event_queue. Whoever waits for the row
 * of event_sequence gives seqs above those that the one before has committed.
 * Held by test/whole/server/storage/postgres/event-order.test.ts.
 */
export function createEventLog(
  { read, write }: PostgresDatabase,
  rules: Pick<StorageRules, 'stages'>,
): EventLog {
  async function withData(clientId: string, found: readonly StoredEventRow[]) {
    const of = { payments: numbersOf(found, 'payments'), announcements: numbersOf(found, 'announcements') }
    const [payments, announcements] = await Promise.all([
      of.payments.length === 0
        ? []
        : read<PaymentSubjectRow>(
            'events.payments',
            `SELECT p.number AS subject, ${PAYMENT} FROM payments p WHERE p.number = ANY($1::bigint[])`,
            [of.payments],
          ),
      of.announcements.length === 0
        ? []
        : read<AnnouncementSubjectRow>(
            'events.announcements',
            `SELECT a.number AS subject, ${PAYMENT}, d.serial AS "deviceSerial", a.n, a.stage, a.reason,
               a.queued_at AS "queuedAt", a.sent_at AS "sentAt", a.received_at AS "announcementReceivedAt",
               a.played_at AS "playedAt", a.failed_at AS "failedAt", a.expired_at AS "expiredAt",
               a.suppressed_at AS "suppressedAt"
             FROM announcements a JOIN payments p ON p.number = a.payment_number
               JOIN devices d ON d.number = a.device_number
             WHERE a.number = ANY($1::bigint[])`,
            [of.announcements],
          ),
    ])
    return toStoredEvents(clientId, found, { payments, announcements }, rules)
  }

  return {
    async page(clientId, query) {
      const looked = await read<StoredEventRow>(
        'events.page',
        `SELECT ${COLUMNS} FROM events WHERE client_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [clientId, query.after, query.types ? LOOKED_AT : query.limit],
      )
      const { found, next } = pageOf(looked, query)
      const events = await withData(clientId, found)
      // After the events: what was deleted before this read is not taken for read.
      const [deleted] = await read<{ seq: number }>(
        'events.deleted',
        'SELECT seq FROM deleted_events WHERE client_id = $1',
        [clientId],
      )
      return { events, next, deletedUpTo: deleted?.seq ?? 0 }
    },

    async outlines(clientId, { after, limit }) {
      const rows = await read<OutlineRow>(
        'events.outlines',
        `SELECT seq, at, type, CASE WHEN type = 'webhook.test' THEN data END AS data FROM events
         WHERE client_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [clientId, after, limit],
      )
      return rows.map(toOutline)
    },

    async outlinesBelow(clientId, { above, below, limit }) {
      const rows = await read<OutlineRow>(
        'events.outlinesBelow',
        `SELECT seq, at, type, CASE WHEN type = 'webhook.test' THEN data END AS data FROM events
         WHERE client_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4`,
        [clientId, above, below, limit],
      )
      return rows.map(toOutline)
    },

    async heads(clientIds) {
      const found = await read<{ clientId: string; seq: number }>(
        'events.heads',
        `SELECT c.id AS "clientId", e.seq FROM unnest($1::text[]) AS c (id) CROSS JOIN LATERAL (
           SELECT seq FROM events WHERE client_id = c.id ORDER BY seq DESC LIMIT 1
         ) e`,
        [clientIds],
      )
      return new Map(found.map(({ clientId, seq }) => [clientId, seq]))
    },

    async find(clientId, id) {
      const said = readEventId(clientId, id)
      if (!said) return undefined
      const found = await read<StoredEventRow>(
        'events.find',
        `SELECT ${COLUMNS} FROM events WHERE client_id = $1 AND seq = $2 AND at = $3`,
        [clientId, said.seq, said.at],
      )
      return (await withData(clientId, found))[0]
    },

    addTest: (clientId, webhookId, at) =>
      write(async (tx) => {
        // It gets its seq at once, because the answer has its id. Whoever gives seqs waits for this commit.
        const [added] = await tx.query<{ seq: number }>(
          'events.addTest',
          `WITH risen AS (
             UPDATE event_sequence SET last = greatest(last + 1, clock_ms() * 1000, $2::bigint * 1000) RETURNING last
           )
           INSERT INTO events (client_id, seq, at, type, data)
           SELECT $1, last, $2, 'webhook.test', $3 FROM risen RETURNING seq`,
          [clientId, at, JSON.stringify({ webhookId })],
        )
        return eventId(clientId)(at, added?.seq ?? 0)
      }),

    async number() {
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
               WHERE number = ANY(ARRAY(SELECT number FROM event_queue ORDER BY number LIMIT ${NUMBERED}))
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
          ),
        ])
        return moved.length
      })
    },
  }
}
