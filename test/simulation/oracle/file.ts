import Database from 'better-sqlite3'
import type { Stage } from '../../../server/announcements/announcement.ts'

export interface AnnouncementRow {
  id: string
  serial: string
  /** Of the payment, which names it. */
  amount: number
  clientId: string
  storeId: string
  n: number | null
  stage: Stage
  reason: string | null
  /** Of the sound. Only of boxes of other makers. */
  proof: string | null
  expiresAt: number
  queuedAt: number
  sentAt: number | null
  missedShownAt: number | null
  suppressedAt: number | null
}

export interface StoreRow {
  id: string
  totalTransaction: number
  totalAmount: number
}

export interface PaymentRow {
  clientId: string
  storeId: string
  amount: number
}

export interface DeviceRow {
  clientId: string | null
  active: number
  stores: string
}

/** The session that a device belongs to. */
export interface OwnerRow {
  serial: string
  sessionId: string | null
}

export interface BillRow {
  storeId: string
  isPaid: number
}

/** How many bills, or events, an amount of a keypad has. */
export interface KeyedRow {
  what: 'bills' | 'events'
  amount: number
  count: number
}

/** What must be in the log of a partner. */
export interface Fact {
  clientId: string
  type: string
  /** The number of the payment or of the announcement. */
  subject: number
}

/** An event, whatever it tells. */
export interface LogRow {
  clientId: string
  seq: number
  type: string
}

export interface EventRow extends Fact {
  seq: number
}

/** The hub's database as somebody else reads it who trusts none of the hub's code: what is committed, and no more. */
export interface FileReader {
  /** Whether anything was committed since the last question. */
  hasChanged(): boolean
  /** In the order in which they were stored. */
  announcements(): AnnouncementRow[]
  announcement(id: string): AnnouncementRow | undefined
  payments(): PaymentRow[]
  /** When each payment was received, by the hub's clock. */
  receivedAt(): number[]
  stores(): StoreRow[]
  device(serial: string): DeviceRow | undefined
  owners(): OwnerRow[]
  /** The events of payments and announcements, in the order in which they are read. */
  events(): EventRow[]
  /** What has happened to payments and announcements. */
  facts(): Fact[]
  logOf(clientId: string): LogRow[]
  log(event: Pick<LogRow, 'clientId' | 'seq'>): LogRow | undefined
  /** Whether a webhook's attempt has failed, and another one follows. */
  isTriedAgain(event: LogRow): boolean
  /** What became of the amounts from keypads: bills that the hub has made, or events. */
  keyedAmounts(): KeyedRow[]
  /** By its number, which no two bills of a world share. */
  bill(billNumber: string): BillRow | undefined
  close(): void
}

const ANNOUNCEMENTS = `
  SELECT a.id, d.serial, a.amount, p.client_id AS clientId, p.store_id AS storeId, a.n, a.stage, a.reason,
    a.expires_at AS expiresAt, a.queued_at AS queuedAt, a.sent_at AS sentAt,
    a.missed_shown_at AS missedShownAt, a.suppressed_at AS suppressedAt, a.proof
  FROM announcements a JOIN devices d ON d.number = a.device_number JOIN payments p ON p.number = a.payment_number`

export function readFile(file: string): FileReader {
  const sqlite = new Database(file, { readonly: true })
  const version = sqlite.prepare('PRAGMA data_version').pluck()
  const all = sqlite.prepare<[], AnnouncementRow>(`${ANNOUNCEMENTS} ORDER BY a.number`)
  const one = sqlite.prepare<[string], AnnouncementRow>(`${ANNOUNCEMENTS} WHERE a.id = ?`)
  const payments = sqlite.prepare<[], PaymentRow>(
    'SELECT client_id AS clientId, store_id AS storeId, amount FROM payments',
  )
  const receivedAt = sqlite.prepare<[], number>('SELECT received_at FROM payments').pluck()
  const stores = sqlite.prepare<[], StoreRow>(
    `SELECT id, coalesce(sum(total_transaction), 0) AS totalTransaction, coalesce(sum(total_amount), 0) AS totalAmount
    FROM stores LEFT JOIN (SELECT * FROM store_totals UNION ALL SELECT * FROM store_totals_recent)
      ON store_number = number
    GROUP BY id`,
  )
  const device = sqlite.prepare<[string], DeviceRow>(
    `SELECT client_id AS clientId, active,
      coalesce((
        SELECT group_concat(stores.id) FROM device_stores JOIN stores ON stores.number = store_number
        WHERE device_number = devices.number
      ), '') AS stores
    FROM devices WHERE serial = ?`,
  )
  const owners = sqlite.prepare<[], OwnerRow>('SELECT serial, session_id AS sessionId FROM devices')
  const bill = sqlite.prepare<[string], BillRow>(
    'SELECT store_id AS storeId, paid_at IS NOT NULL AS isPaid FROM bills WHERE bill_number = ?',
  )
  const keyed = sqlite.prepare<[], KeyedRow>(
    `SELECT 'bills' AS what, amount, count(*) AS count FROM bills WHERE bill_number GLOB 'K*' GROUP BY amount
     UNION ALL SELECT 'events', CAST(data ->> 'transactionAmount' AS INTEGER) AS keyed, count(*) FROM events
     WHERE type = 'amount.keyed' GROUP BY keyed`,
  )
  const events = sqlite.prepare<[], EventRow>(
    `SELECT client_id AS clientId, seq, type, subject FROM events
     WHERE type LIKE 'payment.%' OR type LIKE 'bill.%' OR type LIKE 'announcement.%' ORDER BY client_id, seq`,
  )
  const facts = sqlite.prepare<[], Fact>(
    `SELECT client_id AS clientId, 'payment.recorded' AS type, number AS subject FROM payments
     UNION ALL SELECT client_id, 'bill.paid', number FROM payments WHERE outcome = 'bill_paid'
     UNION ALL SELECT p.client_id, 'announcement.' || replace(a.stage, 'expired', 'missed'), a.number
     FROM announcements a JOIN payments p ON p.number = a.payment_number
     WHERE a.stage IN ('played', 'delivered', 'failed', 'expired', 'suppressed')`,
  )
  const logOf = sqlite.prepare<[string], LogRow>(
    'SELECT client_id AS clientId, seq, type FROM events WHERE client_id = ? ORDER BY seq',
  )
  const log = sqlite.prepare<[string, number], LogRow>(
    'SELECT client_id AS clientId, seq, type FROM events WHERE client_id = ? AND seq = ?',
  )
  const triedAgain = sqlite
    .prepare<[string, number]>(
      `SELECT count(*) FROM deliveries JOIN webhooks ON webhooks.id = webhook_id
       WHERE client_id = ? AND seq = ? AND deliveries.state = 'pending'`,
    )
    .pluck()
  let seen: unknown
  return {
    hasChanged() {
      const now = version.get()
      const changed = now !== seen
      seen = now
      return changed
    },
    announcements: () => all.all(),
    announcement: (id) => one.get(id),
    payments: () => payments.all(),
    receivedAt: () => receivedAt.all(),
    stores: () => stores.all(),
    device: (serial) => device.get(serial),
    owners: () => owners.all(),
    events: () => events.all(),
    facts: () => facts.all(),
    logOf: (clientId) => logOf.all(clientId),
    log: ({ clientId, seq }) => log.get(clientId, seq),
    isTriedAgain: ({ clientId, seq }) => triedAgain.get(clientId, seq) !== 0,
    keyedAmounts: () => keyed.all(),
    bill: (billNumber) => bill.get(billNumber),
    close: () => sqlite.close(),
  }
}
