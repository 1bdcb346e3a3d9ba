import { eventId, readEventId } from '../../../events/event-id.ts'
import type { EventLog } from '../../../events/ports.ts'
import { carryOut } from '../../acts/act.ts'
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
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { addEvent, runOn } from '../schema/statements.ts'

const PAYMENT = `p.id, p.ft_code AS ftCode, p.trace_transfer AS traceTransfer, p.terminal_id AS terminalID,
  p.store_id AS storeId, p.bank_code AS bankCode, p.bill_number AS billNumber, p.amount, p.paid_at AS paidAt,
  p.received_at AS receivedAt, p.outcome`

/**
 * Reads events, each with the row that it refers to. Why those rows are not copied into their events: a payment would cost
 * more, and what events show of them never changes. Held by test/server/storage/contract/events.ts.
 */
export function createEventLog(
  { orm: { $client: sqlite }, writing }: OpenDatabase,
  rules: Pick<StorageRules, 'stages'>,
): EventLog {
  const run = runOn(sqlite)
  const after = sqlite.prepare<[clientId: string, after: number, limit: number], StoredEventRow>(
    `SELECT seq, at, type, subject, data FROM events WHERE client_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const outlines = sqlite.prepare<[clientId: string, after: number, limit: number], OutlineRow>(
    `SELECT seq, at, type, iif(type = 'webhook.test', data, NULL) AS data FROM events
     WHERE client_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const outlinesBelow = sqlite.prepare<
    [clientId: string, above: number, below: number, limit: number],
    OutlineRow
  >(
    `SELECT seq, at, type, iif(type = 'webhook.test', data, NULL) AS data FROM events
     WHERE client_id = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const one = sqlite.prepare<[clientId: string, seq: number], StoredEventRow>(
    'SELECT seq, at, type, subject, data FROM events WHERE client_id = ? AND seq = ?',
  )
  const deleted = sqlite
    .prepare<[clientId: string], number>('SELECT seq FROM deleted_events WHERE client_id = ?')
    .pluck()
  const heads = sqlite.prepare<[clientIds: string], { clientId: string; seq: number | null }>(
    `SELECT value AS clientId, (SELECT max(seq) FROM events WHERE client_id = value) AS seq FROM json_each(?)`,
  )
  const payments = sqlite.prepare<[numbers: string], PaymentSubjectRow>(
    `SELECT p.number AS subject, ${PAYMENT} FROM payments p
     WHERE p.number IN (SELECT value FROM json_each(?))`,
  )
  const announcements = sqlite.prepare<[numbers: string], AnnouncementSubjectRow>(
    `SELECT a.number AS subject, ${PAYMENT}, d.serial AS deviceSerial, a.n, a.stage, a.reason,
       a.queued_at AS queuedAt, a.sent_at AS sentAt, a.received_at AS announcementReceivedAt, a.played_at AS playedAt,
       a.failed_at AS failedAt, a.expired_at AS expiredAt, a.suppressed_at AS suppressedAt
     FROM announcements a JOIN payments p ON p.number = a.payment_number JOIN devices d ON d.number = a.device_number
     WHERE a.number IN (SELECT value FROM json_each(?))`,
  )

  function withData(clientId: string, found: readonly StoredEventRow[]) {
    const subjects = {
      payments: payments.all(JSON.stringify(numbersOf(found, 'payments'))),
      announcements: announcements.all(JSON.stringify(numbersOf(found, 'announcements'))),
    }
    return toStoredEvents(clientId, found, subjects, rules)
  }

  return {
    page: reading((clientId, query) => {
      const looked = after.all(clientId, query.after, query.types ? LOOKED_AT : query.limit)
      const { found, next } = pageOf(looked, query)
      const events = withData(clientId, found)
      // After the events: what was deleted before this read is not taken for read.
      return { events, next, deletedUpTo: deleted.get(clientId) ?? 0 }
    }),

    outlines: reading((clientId, query) => outlines.all(clientId, query.after, query.limit).map(toOutline)),

    outlinesBelow: reading((clientId, { above, below, limit }) =>
      outlinesBelow.all(clientId, above, below, limit).map(toOutline),
    ),

    heads: reading((clientIds) => {
      const found = heads.all(JSON.stringify(clientIds))
      return new Map(found.flatMap(({ clientId, seq }) => (seq === null ? [] : [[clientId, seq] as const])))
    }),

    find: reading((clientId, id) => {
      const said = readEventId(clientId, id)
      const row = said && one.get(clientId, said.seq)
      return row?.at === said?.at && row ? withData(clientId, [row])[0] : undefined
    }),

    addTest: writing((clientId, webhookId, at) =>
      eventId(clientId)(
        at,
        carryOut(addEvent({ clientId, type: 'webhook.test', at, data: { webhookId } }), run),
      ),
    ),

    number: async () => 0,
  }
}
