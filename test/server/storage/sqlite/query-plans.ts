import Database from 'better-sqlite3'

/** What may be gone through from end to end, by the plan's words, each with what keeps it small. */
const SMALL: Record<string, string> = {
  sqlite_schema: 'the tables and indices themselves',
  __drizzle_migrations: 'a row for each migration',
  revisions: 'three rows',
  partners: 'a hub has tens of partners',
  console_links: 'links of the last minute',
  console_sessions: 'sessions of the last twelve hours',
  json_each: 'the list that was asked for',
  ends: 'one row, of the first and the last number',
  search: 'twenty steps, which halve the numbers',
  'VALUES CLAUSE': 'the rows that are inserted',
  'CONSTANT ROW': 'one row of values',
  announcements_due: 'what is on its way: two minutes of payments',
  devices_settings_due: 'devices that have still to take their settings',
  devices_locked: 'a read takes twelve thousand of those that are locked',
  devices_revoked: 'a read takes twelve thousand of those that are revoked',
  found: 'twelve thousand numbers that an index finds: some milliseconds',
  devices_identify_asked: 'devices that were asked to beep this minute',
  webhooks: 'at most ten of each partner',
  webhook_feeds: 'one of each webhook, and the replays that go on',
  bank_profiles: 'one for each bank',
  profiles: 'one for each model of another maker',
  statements_importing: 'the imports that are under way',
  page: 'a page of a long act',
  payment_sums_open: 'what is on its way: two minutes of payments',
  missed_marks: 'notices of missed payments that are being marked',
  store_totals_recent: 'two thousand rows: it is emptied into the large table',
  device_numbers_recent: 'two thousand rows: it is emptied into the large table',
}

/** Statements that may go through more, or sort, by words of theirs, each with the reason. */
const ALLOWED: Record<string, string> = {
  'SELECT DISTINCT store_number FROM (': 'five hundred shops of a word',
  'SELECT 1 FROM store_words': 'it counts no more than five hundred',
  'FROM store_names_due ORDER BY store_number': 'some hundreds of the shops whose names are due',
  'SELECT 1 FROM deliveries WHERE webhook_id': 'it counts no more than five thousand',
  'SELECT e.type FROM events e': 'as above',
  'INSERT INTO stores (id':
    'SQLite looks for bills of the new store only while a reference is broken (OP_FkIfZero)',
  'sum(DISTINCT CASE a.stage': 'the payments of 512 numbers are added up',
  'PARTITION BY p.client_id ORDER BY p.number': 'the payments of one code: one for each bank',
  'WITH found AS MATERIALIZED': 'at most twelve thousand numbers of devices that an index finds',
  'FROM console_sessions WHERE created_at': 'the sessions of the last twelve hours',
  'FROM partners ORDER BY': 'the list of partners, for the command line',
  'FROM devices ORDER BY created_at': 'the list of all devices, for the command line',
  "SET stage = 'suppressed'": 'what is on its way to one device',
  'INSERT INTO device_health AS h': 'the devices that have something new',
  'max(number) AS last FROM (': 'a thousand of the announcements that a device has missed',
  'ORDER BY l.linked_at': 'the stores of one device, by when they were linked',
  'UPDATE token_families SET revoked_at = +$2 WHERE client_id = +$1':
    'the logins of a partner that is enabled again, for the command line',
  'from "bills" where (("bills"."store_id" in':
    'the bills of one device whose quarter of an hour is not over',
}

/** The steps of the statements' plans that cost more as the database grows, each with its statement. */
export function unboundedSteps(file: string, statements: string[]): string[] {
  const sqlite = new Database(file, { readonly: true })
  try {
    return statements.filter(isQuery).flatMap((statement) =>
      plan(sqlite, statement)
        .filter((detail) => grows(detail) && !Object.keys(ALLOWED).some((part) => statement.includes(part)))
        .map((detail) => `${detail}: ${statement}`),
    )
  } finally {
    sqlite.close()
  }
}

function isQuery(statement: string): boolean {
  return /^(select|insert|update|delete|with)\b/i.test(statement)
}

function plan(sqlite: Database.Database, statement: string): string[] {
  const values = [...statement.matchAll(/\?/g)].map(() => 1)
  const names = [...statement.matchAll(/[@$](\w+)/g)].map(([, name]) => [name, 1])
  const explain = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
  return explain
    .all(...values, ...(names.length > 0 ? [Object.fromEntries(names)] : []))
    .map(({ detail }) => detail)
}

function grows(detail: string): boolean {
  if (detail.includes('TEMP B-TREE')) return true
  // All that a shop ever billed.
  if (/^SEARCH bills .*\(store_id=\?\)/.test(detail)) return true
  return detail.startsWith('SCAN') && !Object.keys(SMALL).some((part) => detail.includes(part))
}
