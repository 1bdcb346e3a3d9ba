import {
  type AnnouncementFacts,
  type EventRow,
  type PaymentFacts,
  readData,
  type Subjects,
  subjectKind,
  toEvents,
} from '../../../events/event.ts'
import { eventId, readEventId } from '../../../events/event-id.ts'
import type { EventLog, EventOutline, EventQuery } from '../../../events/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type TrailRow, toTrail } from '../../shared/payment-mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { TRAIL_COLUMNS } from '../payments/payment-records.ts'

/** Events that one read looks at to find those of some types: nothing else of the thread runs meanwhile. */
const LOOKED_AT = 300

/** A row of events of which only a test has data. */
type OutlineRow = Omit<EventRow, 'subject'>

/** A payment that an event refers to, or an announcement with its payment. */
type SubjectRow = Omit<PaymentFacts, 'amount' | 'receivedAt'> & {
  subject: number
  amount: number
  paymentReceivedAt: number
} & ({ deviceSerial: null } | (TrailRow & { deviceSerial: string }))

const COLUMNS = 'seq, at, type, subject, data'
const OUTLINE = `seq, at, type, CASE WHEN type = 'webhook.test' THEN data END AS data`
const PAYMENT = `p.id, p.ft_code AS "ftCode", p.trace_transfer AS "traceTransfer", p.terminal_id AS "terminalID",
  p.store_id AS "storeId", p.bank_code AS "bankCode", p.bill_number AS "billNumber", p.amount, p.paid_at AS "paidAt",
  p.received_at AS "paymentReceivedAt", p.outcome`
const DELETED = 'SELECT seq FROM deleted_events WHERE client_id = $1'
const ANNOUNCEMENTS = `SELECT a.number AS subject, ${PAYMENT}, d.serial AS "deviceSerial", ${TRAIL_COLUMNS}
  FROM announcements a JOIN payments p ON p.number = a.payment_number JOIN devices d ON d.number = a.device_number`
/** A payment has none of the columns of an announcement. */
const PAYMENTS = `SELECT p.number, ${PAYMENT}, ${Array(13).fill('NULL').join()} FROM payments p`

/**
 * Reads events, each with the row that it refers to. Why those rows are not copied into their events: a payment would cost
 * more, and what events show of them never changes. Held by test/server/storage/contract/events.ts.
 */
export function createEventLog(
  { reading, writing, among, eventAtOnce }: Engine,
  rules: Pick<StorageRules, 'stages'>,
  number: EventLog['number'],
): EventLog {
  function* withData(clientId: string, found: readonly EventRow[]) {
    const of = [numbersOf(found, 'announcements'), numbersOf(found, 'payments')]
    const subjects = of.every(({ length }) => length === 0)
      ? []
      : yield* rows<SubjectRow>(
          'events.subjects',
          `${ANNOUNCEMENTS} WHERE ${among('a.number', '$1', 'bigint')}
           UNION ALL ${PAYMENTS} WHERE ${among('p.number', '$2', 'bigint')}`,
          of,
        )
    return toEvents(clientId, found, toSubjects(rules, subjects))
  }

  return {
    page: reading(function* (clientId, query) {
      const looked = yield* rows<EventRow>(
        'events.page',
        `SELECT ${COLUMNS} FROM events WHERE client_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [clientId, query.after, query.types ? LOOKED_AT : query.limit],
      )
      const { found, next } = pageOf(looked, query)
      const events = yield* withData(clientId, found)
      // After the events: what was deleted before this read is not taken for read.
      const deleted = yield* row<{ seq: number }>('events.deleted', DELETED, [clientId])
      return { events, next, deletedUpTo: deleted?.seq ?? 0 }
    }),

    outlines: reading((clientId, { after, limit }) =>
      outlines('after', 'seq > $2 ORDER BY seq LIMIT $3', [clientId, after, limit]),
    ),

    outlinesBelow: reading((clientId, { above, below, limit }) =>
      outlines('below', 'seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4', [clientId, above, below, limit]),
    ),

    heads: reading(function* (clientIds) {
      const found = yield* rows<{ clientId: string; seq: number | null }>(
        'events.heads',
        `SELECT p.client_id AS "clientId", (SELECT max(e.seq) FROM events e WHERE e.client_id = p.client_id) AS seq
         FROM partners p WHERE ${among('p.client_id', '$1')}`,
        [clientIds],
      )
      return new Map(found.flatMap(({ clientId, seq }) => (seq === null ? [] : [[clientId, seq] as const])))
    }),

    find: reading(function* (clientId, id) {
      const said = readEventId(clientId, id)
      if (!said) return undefined
      const found = yield* rows<EventRow>(
        'events.find',
        `SELECT ${COLUMNS} FROM events WHERE client_id = $1 AND seq = $2 AND at = $3`,
        [clientId, said.seq, said.at],
      )
      return (yield* withData(clientId, found))[0]
    }),

    addTest: writing(function* (clientId, webhookId, at) {
      const seq = yield* eventAtOnce({ clientId, type: 'webhook.test', at, data: { webhookId } })
      return eventId(clientId)(at, seq)
    }),

    number,
  }
}

function* outlines(which: string, rest: string, values: readonly unknown[]): Act<EventOutline[]> {
  const text = `SELECT ${OUTLINE} FROM events WHERE client_id = $1 AND ${rest}`
  return (yield* rows<OutlineRow>(`events.outlines ${which}`, text, values)).map(toOutline)
}

/** The rows that events refer to. */
function toSubjects(rules: Pick<StorageRules, 'stages'>, rows: readonly SubjectRow[]): Subjects {
  const payments = new Map<number, PaymentFacts>()
  const announcements = new Map<number, AnnouncementFacts>()
  for (const row of rows) {
    const payment = { ...row, amount: String(row.amount), receivedAt: row.paymentReceivedAt }
    if (row.deviceSerial === null) {
      payments.set(row.subject, payment)
      continue
    }
    const { n, reason, times, serial: deviceSerial } = toTrail(rules, row, row.deviceSerial)
    announcements.set(row.subject, { payment, deviceSerial, n, reason, times })
  }
  return { payments, announcements }
}

function toOutline({ data, ...row }: OutlineRow): EventOutline {
  return { ...row, data: readData(data) }
}

/** The rows of a page, and where the next one begins, of the rows that a read has looked at. */
function pageOf(
  looked: readonly EventRow[],
  { after, types, limit }: EventQuery,
): { found: EventRow[]; next: number } {
  const found = looked.filter(({ type }) => types?.includes(type) ?? true).slice(0, limit)
  const last = found.length === limit ? found.at(-1) : looked.at(-1)
  return { found, next: last?.seq ?? after }
}

/** The numbers of the payments or announcements that events refer to. */
function numbersOf(rows: readonly EventRow[], kind: keyof Subjects): number[] {
  return rows.flatMap(({ type, subject }) => (subjectKind(type) === kind ? (subject ?? []) : []))
}
