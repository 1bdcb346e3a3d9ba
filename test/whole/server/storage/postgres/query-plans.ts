import { Client } from 'pg'
import { afterAll, vi } from 'vitest'
import { z } from 'zod'

/** What may be gone through from end to end, each with what keeps it small. */
const SMALL: Record<string, string> = {
  partners: 'a hub has tens of partners',
  revisions: 'two rows',
  hubs: 'one row for each hub of the last day',
  vault_canary: 'one row',
  event_sequence: 'one row',
  payments_number_seq: 'one row',
  announcements_number_seq: 'one row',
  open_announcements_due: 'what is on its way: two minutes of payments',
  devices_settings_due: 'devices that have still to take their settings',
  devices_identify_asked: 'devices that were asked to beep this minute',
  webhooks: 'at most ten of each partner',
  webhooks_by_client: 'as above',
  webhooks_deleted: 'webhooks that were deleted within the hour',
  webhook_feeds: 'one of each webhook, and the replays that go on',
  webhook_feeds_pkey: 'as above',
  console_links: 'links of the last minute',
  console_sessions: 'sessions of the last twelve hours',
  devices_revoked: 'devices that are revoked',
  store_names_due: 'shops that are new or renamed, until their words are written',
  store_names_due_pkey: 'as above',
  payment_sums_open: 'what is on its way: two minutes of payments',
  payment_sums_open_pkey: 'as above',
  bank_profiles: 'one for each bank',
  profiles: 'one for each model of another maker',
  bank_profiles_pkey: 'as above',
  statements_importing: 'the imports that are under way',
  missed_marks: 'notices of missed payments that are being marked',
}

/** Statements that may go through more, by their names, each with the reason. */
const ALLOWED: Record<string, string> = {
  'devices.list': 'the list of all devices, for the command line',
  'outbox.clockSetBack any': 'what is on its way: two minutes of payments',
}

/** Notes every statement that the driver runs by a name, from here to the end of the test file. */
export function watchStatements() {
  const texts = new Map<string, Set<string>>()
  const original: (...args: unknown[]) => unknown = Client.prototype.query
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args) {
    const [said]: unknown[] = args
    if (typeof said === 'object' && said !== null && 'name' in said && 'text' in said)
      texts.set(String(said.name), (texts.get(String(said.name)) ?? new Set()).add(String(said.text)))
    return original.apply(this, args)
  })
  afterAll(() => spy.mockRestore())
  return texts
}

const Node: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Index Name': z.string().optional(),
    'Index Cond': z.string().optional(),
    Filter: z.string().optional(),
    Plans: z.array(Node).default([]),
  }),
)
const Explained = z.tuple([z.object({ Plan: Node })])

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string | undefined
  'Index Name'?: string | undefined
  'Index Cond'?: string | undefined
  Filter?: string | undefined
  Plans: PlanNode[]
}

/** The steps of the statements' plans that go through a table that grows, each with its statement. */
export async function unboundedSteps(client: Client, statements: Map<string, string>): Promise<string[]> {
  await client.query(GROWN)
  // As autovacuum does it. A partition that has just begun has no statistics, and a plan is kept that is made then.
  const { rows: filled } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname NOT LIKE '%\\_1'`,
  )
  for (const { name } of filled) await client.query(`ANALYZE ${name}`)
  const found: string[] = []
  for (const [name, text] of statements) {
    if (name === '' || name in ALLOWED || !/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)) continue
    // EXPLAIN (GENERIC_PLAN) is unknown before PostgreSQL 16.
    await client.query(`PREPARE statement AS ${text}`)
    const parameters = new Set(text.match(/\$\d+/g))
    const values = parameters.size === 0 ? '' : `(${[...parameters].map(() => 'NULL').join()})`
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE statement${values}`)
    await client.query('DEALLOCATE statement')
    const [{ Plan }] = Explained.parse(rows[0]['QUERY PLAN'])
    found.push(...grown(Plan).map((step) => `${name}: ${step}`))
  }
  return found
}

function grown(node: PlanNode, above = ''): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = node
  const isWhole =
    type === 'Seq Scan' || (/^(Index|Bitmap Index)/.test(type) && node['Index Cond'] === undefined)
  /** The first rows in the order of the index. */
  const isBegun = above === 'Limit' && node.Filter === undefined
  const own =
    isWhole && !isBegun && !(table in SMALL) && !(index in SMALL) ? [`${type} ${table} ${index}`] : []
  // Partitions in the order of their rows: the next one is read when the one before has ended.
  const passed = /Append$/.test(type) ? above : type
  return [...own, ...node.Plans.flatMap((part) => grown(part, passed))]
}

/**
 * Ten thousand rows of each table that grows, and more devices: a hundred of them are looked up at once.
 * Of the announcements, one in a hundred is open, and half of the others were missed.
 */
const GROWN = `
CREATE TEMP TABLE g AS SELECT i, i::text AS t FROM generate_series(1, 10000) i;
INSERT INTO partners SELECT 'p' || i, '', 0 FROM g WHERE i <= 20;
INSERT INTO bank_accounts SELECT 'a' || i, 'p' || (i % 20 + 1), '', int4send(i), 0, 0 FROM g;
INSERT INTO statements
  SELECT t, 'p' || (i % 20 + 1), 'a' || (i % 100 + 1), 'csv', NULL, t, '', t, t, i, i, 0, 0, 1, 'open', i, i, 0, 0, '{}' FROM g;
INSERT INTO statement_rows
  SELECT t, (i % 100 + 1)::text, 'a' || (i % 100 + 1), i, t, i, i, 'credit', '[]', '', '', 'matched', NULL, 'pay' || i
  FROM g WHERE i <= 9000;
INSERT INTO statement_rows SELECT t, (i % 100 + 1)::text, 'a1', i, t, i, i, 'credit', '[]', '', '', 'undecided', NULL, NULL, 'pay' || i
  FROM g WHERE i > 9000;
INSERT INTO account_payments SELECT 'pay' || i, 'a' || (i % 100 + 1), i, i, '', '', '', '' FROM g;
INSERT INTO signoffs SELECT t, t, i, '', '', '', '' FROM g;
INSERT INTO partner_secrets SELECT t, 'p' || (i % 20 + 1), '', i, i FROM g;
INSERT INTO token_families SELECT t, 'p' || (i % 20 + 1), i, CASE WHEN i % 10 > 0 THEN i END, 1, i FROM g;
INSERT INTO tokens SELECT sha256(t::bytea), t, 'access', 1, i, false FROM g;
INSERT INTO users SELECT t, 'p' || (i % 20 + 1), sha256(t::bytea), '', i FROM g;
INSERT INTO stores OVERRIDING SYSTEM VALUE
  SELECT 1000000 + i, t, 'p' || (i % 20 + 1), t, t, '', '', '', '', '', '', '', '', '', '', i, i FROM g;
INSERT INTO store_totals SELECT 1000000 + i, 1, 1 FROM g;
INSERT INTO devices (number, id, serial, key, login_hash, client_id, device_name, created_at)
  SELECT 1000000 + i, i::text, i::text, '', '', 'p' || (i % 20 + 1), '', i FROM generate_series(1, 50000) i;
INSERT INTO device_state SELECT 1000000 + i, 1, t, 0 FROM g;
INSERT INTO device_stores SELECT 1000000 + i, 1000000 + i, i FROM g;
INSERT INTO device_health SELECT 1000000 + i FROM g;
INSERT INTO device_rekeys SELECT t, '', '', i FROM g;
INSERT INTO device_offers SELECT t, '{}', i FROM g;
INSERT INTO verification_codes SELECT t, t, 'p' || (i % 20 + 1), '', 'used', i, i FROM g;
INSERT INTO verification_quotas SELECT t, 'p' || (i % 20 + 1), i, 1 FROM g;
INSERT INTO bills SELECT t, t, t, 1, '', i, NULL, i, i, i FROM g;
INSERT INTO payments OVERRIDING SYSTEM VALUE
  SELECT 1000000 + i, t, 'p' || (i % 20 + 1), t, t, t, 'bill_paid', t, '', t, 1, i, '', t, '', i FROM g;
INSERT INTO deleted_payments OVERRIDING SYSTEM VALUE
  SELECT 1000000 + i, t, 'p' || (i % 20 + 1), t, t, '', i FROM g;
INSERT INTO payment_keys SELECT 'p' || (i % 20 + 1), t, t, 1000000 + i, i FROM g;
INSERT INTO announcements (
  id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at, queued_at, sent_at, played_at,
  expired_at
)
  SELECT t, 1000000 + i, 1000000 + i, 1, CASE WHEN i % 100 = 0 THEN 'queued' WHEN i % 2 = 0 THEN 'played' ELSE 'expired' END,
    1, '', 'vi', i, i, i, CASE WHEN i % 2 = 0 AND i % 100 > 0 THEN i END, CASE WHEN i % 2 = 1 THEN i END
  FROM g;
INSERT INTO idempotency_keys SELECT t, '', i FROM g;
INSERT INTO events SELECT 'p' || (i % 20 + 1), i, i, 'payment.recorded', i FROM g;
INSERT INTO deliveries
  SELECT 'wh_' || (i % 20) || '/' || lpad(t, 16, '0'), 'wh_' || (i % 20), i, t, '', CASE WHEN i % 2 = 0 THEN 'delivered' ELSE 'pending' END,
    1, CASE WHEN i % 2 = 1 THEN i END, ''
  FROM g;
INSERT INTO audit (at, actor_kind, actor, action, subject, details) SELECT i, 'hub', 'hub', t, '', '{}' FROM g;
`
