import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestPostgres } from '../../../support/postgres.ts'
import { openTestStorage } from '../../../support/storage.ts'

/** What one hub needs alone: its hot rows, and the digests by which a search skips payments. */
const SQLITE_TABLES = 'device_numbers device_numbers_recent payment_digests store_totals_recent'
/** What several hubs need: who they are, what they lock and tell each other, and what one process keeps in memory. */
const POSTGRES_TABLES = `device_state event_queue event_sequence hub_locks hub_messages hubs leases login_failures
  open_announcements partitions payment_keys previous_master_keys request_buckets schema server`

const OPEN = 'played_at is null and failed_at is null and expired_at is null and suppressed_at is null'
const SQLITE_ONLY = [
  // PostgreSQL would lock the other row at each payment: see migrations/0001_begin.sql.
  'announcements (payment_number) references payments (number)',
  'payments (bill_id) references bills (id)',
  // In PostgreSQL the key is in a table of its own, payment_keys.
  'payments unique (client_id, ft_code, dedupe_key)',
  // In PostgreSQL each partition has its own.
  'announcements unique (id)',
  // In PostgreSQL it is in device_state, which is written with each birth.
  'devices.session_id: text',
  // In PostgreSQL what is open is in open_announcements, and a stage is in no index.
  `announcements unique (device_number, n) where ${OPEN}`,
  `announcements index (expires_at) where ${OPEN}`,
  'announcements index (stage, payment_number) where stage in ("failed", "expired", "suppressed")',
  // Each index of SQLite ends with the row's number.
  'audit index (subject)',
  'devices index (client_id)',
  'stores index (client_id)',
]
const POSTGRES_ONLY = [
  // SQLite's payments are searched by their digests.
  'payments index (bill_number, number) where bill_number <> ""',
  'payments index (client_id, number)',
  'payments index (id)',
  'payments index (store_id, number)',
  'payments index (terminal_id, number)',
  'payments index (trace_transfer, number) where trace_transfer <> ""',
  'audit index (subject, id)',
  'devices index (client_id, number)',
  'stores index (client_id, number)',
  // A second name of a shop while its words are written: SQLite has one writer at a time.
  'store_names_due.times: integer not null default 1',
  'announcements index (payment_number) where expired_at is not null',
  'announcements index (payment_number) where failed_at is not null',
  'announcements index (payment_number) where suppressed_at is not null',
  // For the end of all tokens of a partner. SQLite scans the table: it is rare, and a hub alone has few tokens.
  'token_families index (client_id) where revoked_at is null',
  // A table of SQLite takes a new check only when all its rows are written again.
  `announcements check ((stage in ("played", "delivered")) = played_at is not null) and stage = "failed" = failed_at is not null
    and stage = "expired" = expired_at is not null and stage = "suppressed" = suppressed_at is not null`.replace(
    /\s+/g,
    ' ',
  ),
]

interface Schema {
  tables: string[]
  /** A line for each column, key, reference, check and index. */
  lines: string[]
}

/** Writes a condition, a type or a default of either engine in one way. */
function plain(text: string): string {
  let said = text.toLowerCase().replace(/[`"]/g, '').replaceAll("'", '"').replace(/\s+/g, ' ').trim()
  said = said.replace(/::\w+/g, '').replace(/= any \(array\[(.*?)\]\)/g, 'in ($1)')
  said = said.replace(/\b\w+\.(?=\w)/g, '')
  // PostgreSQL writes brackets around each comparison.
  for (let before = ''; before !== said; ) {
    before = said
    said = said.replace(/(?<!in )\(((?:(?! and | or )[^()])*)\)/g, '$1').replace(/^\((.*)\)$/, '$1')
  }
  // A flag of SQLite's.
  return said.replace(/^(settings_due) = 1$/, '$1')
}

const column = (table: string, name: string, type: string, isRequired: boolean, value: string | null) =>
  `${table}.${name}: ${type}${isRequired ? ' not null' : ''}${value === null ? '' : ` default ${plain(value)}`}`
const where = (condition: string | null | undefined) => (condition ? ` where ${plain(condition)}` : '')

/** The columns of the query are those of `R`. */
type Query = <R>(sql: string, table?: string) => R[]

function readSqlite(file: string): Schema {
  const sqlite = new Database(file, { readonly: true })
  const rows: Query = <R>(sql: string, table?: string) =>
    sqlite.prepare(sql).all(...(table === undefined ? [] : [table])) as R[]
  const tables = rows<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '__*'",
  )
  const lines = tables.flatMap(({ name, sql }) => linesOf(rows, name, sql))
  sqlite.close()
  return { tables: tables.map(({ name }) => name), lines }
}

/** What an index has in place of a column. */
const EXPRESSION = '?'
const expressionOf = (sql: string | null) => /\(([^()]*)\)\s*\)/.exec(sql ?? '')?.[1] ?? EXPRESSION

function linesOf(rows: Query, table: string, sql: string): string[] {
  const checks = [...sql.matchAll(/check\s*\((.*)\)/gi)].map(([, condition = '']) => plain(condition))
  // SQLite has no booleans.
  const flags = checks.flatMap((check) => /^(\w+) in \(0, 1\)$/.exec(check)?.[1] ?? [])
  const columns = rows<{ name: string; type: string; required: number; value: string | null; key: number }>(
    'SELECT name, lower(type) AS type, "notnull" OR pk > 0 AS required, dflt_value AS value, pk AS key FROM pragma_table_info(?)',
    table,
  )
  const key = columns.filter((one) => one.key > 0).toSorted((a, b) => a.key - b.key)
  const indices = rows<{ isUnique: number; columns: string; sql: string | null }>(
    `SELECT i."unique" AS isUnique, (
       SELECT group_concat(coalesce(c.name, '${EXPRESSION}') || iif(c.desc, ' desc', ''), ', ') FROM pragma_index_xinfo(i.name) c WHERE c.key
     ) AS columns, (SELECT s.sql FROM sqlite_schema s WHERE s.name = i.name) AS sql
     FROM pragma_index_list(?) i WHERE i.origin <> 'pk'`,
    table,
  )
  const references = rows<{ from: string; table: string; to: string; onDelete: string }>(
    'SELECT "from", "table", "to", on_delete AS onDelete FROM pragma_foreign_key_list(?)',
    table,
  )
  return [
    ...columns.map(({ name, type, required, value }) =>
      column(table, name, flags.includes(name) ? 'boolean' : type, required === 1, value),
    ),
    ...(key.length > 0 ? [`${table} unique (${key.map(({ name }) => name).join(', ')})`] : []),
    ...indices.map(
      ({ isUnique, columns, sql }) =>
        `${table} ${isUnique ? 'unique' : 'index'} (${columns.replace(EXPRESSION, expressionOf(sql))})${where(/ where (.*)$/is.exec(sql ?? '')?.[1])}`,
    ),
    ...references.map(
      ({ from, table: other, to, onDelete }) =>
        `${table} (${from}) references ${other} (${to})${onDelete === 'CASCADE' ? ' on delete cascade' : ''}`,
    ),
    ...checks
      .filter((check) => !flags.some((flag) => check === `${flag} in (0, 1)`))
      .map((check) => `${table} check ${check}`),
  ]
}

/** PostgreSQL's types that SQLite has no other one for. */
const TYPES: Readonly<Record<string, string>> = { bigint: 'integer', jsonb: 'text', bytea: 'blob' }

async function readPostgres(url: string): Promise<Schema> {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const columns = await client.query<{
    table: string
    name: string
    type: string
    required: boolean
    value: string | null
  }>(
    `SELECT table_name AS table, column_name AS name, data_type AS type, is_nullable = 'NO' AS required,
       CASE WHEN column_default NOT LIKE 'nextval(%' THEN replace(replace(column_default, 'true', '1'), 'false', '0') END
         AS value
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::regclass)`,
  )
  const indices = await client.query<{
    table: string
    isUnique: boolean
    columns: string
    condition: string | null
  }>(
    `SELECT indrelid::regclass::text AS table, indisunique AS "isUnique",
       substring(pg_get_indexdef(indexrelid) FROM 'USING btree \\((.*?)\\)( INCLUDE| WHERE|$)') AS columns,
       pg_get_expr(indpred, indrelid) AS condition
     FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE c.relnamespace = 'public'::regnamespace
       AND NOT c.relispartition`,
  )
  const constraints = await client.query<{ table: string; text: string }>(
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = conrelid)`,
  )
  return {
    tables: [...new Set(columns.rows.map(({ table }) => table))],
    lines: [
      ...columns.rows.map(({ table, name, type, required, value }) =>
        column(table, name, TYPES[type] ?? type, required, value),
      ),
      ...indices.rows.map(
        ({ table, isUnique, columns, condition }) =>
          `${table} ${isUnique ? 'unique' : 'index'} (${columns.toLowerCase().replace(/\(\((.*)\)\)|\((.*)\)/, '$1$2')})${where(condition)}`,
      ),
      ...constraints.rows.map(({ table, text }) => `${table} ${constraint(text)}`),
    ],
  }
}

function constraint(text: string): string {
  const [, from, other, rest = ''] = /^FOREIGN KEY (\(.*?\)) REFERENCES (\w+)(.*)$/.exec(text) ?? []
  return from === undefined
    ? `check ${plain(text.replace(/^CHECK /, ''))}`
    : `${from} references ${other} ${rest.toLowerCase()}`
}

const postgres = await startTestPostgres()

describe.skipIf(!postgres)("PostgreSQL's schema", () => {
  it("is SQLite's, but for what is listed here with its reason", async () => {
    if (!postgres) return
    const [ours, theirs] = [readSqlite(openTestStorage().file), await readPostgres(await postgres.database())]
    const [forOne, forMany] = [SQLITE_TABLES, POSTGRES_TABLES].map((names) => names.split(/\s+/))
    const only = (a: string[], b: string[]) => a.filter((one) => !b.includes(one)).toSorted()
    expect(only(ours.tables, theirs.tables)).toEqual(forOne)
    expect(only(theirs.tables, ours.tables)).toEqual(forMany)
    const common = ({ lines }: Schema) =>
      lines.filter((line) => ours.tables.includes(nameOf(line)) && theirs.tables.includes(nameOf(line)))
    expect(only(common(ours), common(theirs))).toEqual(SQLITE_ONLY.toSorted())
    expect(only(common(theirs), common(ours))).toEqual(POSTGRES_ONLY.toSorted())
    expect(common(ours).length).toBeGreaterThan(250)
  })
})

const nameOf = (line: string) => /^\w+/.exec(line)?.[0] ?? ''
