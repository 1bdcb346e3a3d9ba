/** A table that an import fills. */
export interface ImportedTable {
  name: string
  /** Rows are copied by rising key, so the highest one in PostgreSQL tells how far an import has come. */
  key: readonly string[]
  /** What has its rows in SQLite, if no table of that name has. */
  source?: string
  /** The condition of rows in PostgreSQL that no folder has, and that no comparison counts. */
  own?: string
}

/** In SQLite each of these is two tables: see sqlite/engine/hot-rows.ts. */
const TOTALS = `
  SELECT s.number AS store_number,
    coalesce(t.total_transaction, 0) + coalesce(r.total_transaction, 0) AS total_transaction,
    coalesce(t.total_amount, 0) + coalesce(r.total_amount, 0) AS total_amount
  FROM stores s
    LEFT JOIN store_totals t ON t.store_number = s.number
    LEFT JOIN store_totals_recent r ON r.store_number = s.number
  WHERE t.store_number IS NOT NULL OR r.store_number IS NOT NULL`
/** No session goes on: every speaker connects again. */
const STATE = `
  SELECT d.number AS device_number, coalesce(r.n, t.n, 0) AS n, NULL AS session_id, NULL AS hub
  FROM devices d
    LEFT JOIN device_numbers t ON t.device_number = d.number
    LEFT JOIN device_numbers_recent r ON r.device_number = d.number`
/** A deleted payment has a number that no payment has. */
const PAYMENT_KEYS = `
  SELECT client_id, ft_code, dedupe_key, number AS payment_number, received_at FROM payments
  UNION ALL
  SELECT client_id, ft_code, dedupe_key, -number, received_at FROM deleted_payments`

/** In the order of their references. */
export const IMPORTED: readonly ImportedTable[] = [
  { name: 'partners', key: ['client_id'] },
  { name: 'partner_secrets', key: ['id'] },
  { name: 'token_families', key: ['id'] },
  { name: 'tokens', key: ['hash'] },
  { name: 'users', key: ['id'] },
  { name: 'stores', key: ['number'] },
  { name: 'store_totals', key: ['store_number'], source: TOTALS },
  { name: 'profiles', key: ['name'] },
  { name: 'devices', key: ['number'] },
  { name: 'keyed_amounts', key: ['device_number', 'request_id'] },
  { name: 'device_state', key: ['device_number'], source: STATE },
  { name: 'device_rekeys', key: ['id'] },
  { name: 'device_offers', key: ['id'] },
  { name: 'device_health', key: ['device_number'] },
  { name: 'device_told', key: ['device_number'] },
  { name: 'device_stores', key: ['store_number', 'device_number'] },
  { name: 'verification_codes', key: ['id'] },
  { name: 'verification_quotas', key: ['device_id', 'client_id'] },
  { name: 'bills', key: ['id'] },
  { name: 'payments', key: ['number'] },
  { name: 'payment_keys', key: ['client_id', 'ft_code', 'dedupe_key'], source: PAYMENT_KEYS },
  { name: 'deleted_payments', key: ['number'] },
  { name: 'announcements', key: ['number'] },
  { name: 'missed_marks', key: ['number'] },
  { name: 'events', key: ['client_id', 'seq'] },
  { name: 'deleted_events', key: ['client_id'] },
  { name: 'webhooks', key: ['id'] },
  { name: 'webhook_feeds', key: ['webhook_id', 'number'] },
  { name: 'deliveries', key: ['id'] },
  { name: 'bank_profiles', key: ['name'] },
  { name: 'bank_accounts', key: ['id'] },
  { name: 'account_payments', key: ['id'] },
  { name: 'statements', key: ['id'] },
  { name: 'statement_rows', key: ['id'] },
  { name: 'signoffs', key: ['id'] },
  { name: 'idempotency_keys', key: ['id'] },
  { name: 'audit', key: ['id'], own: "action = 'database.import'" },
]
