import type Database from 'better-sqlite3'
import { toJson } from '../../acts/act.ts'
import type { Tx } from '../engine/database.ts'
import type { ImportedTable } from './tables.ts'

/** Rows of a page, which is read, written and held in memory at once. */
const PAGE = 1_000

/** A column of PostgreSQL. SQLite has one of the same name. */
export interface Column {
  name: string
  type: string
  isIdentity: boolean
}

/** A value as a text, written in the same way on both sides. */
type Value = string | null
export type Row = readonly Value[]

export interface Copied extends ImportedTable {
  columns: readonly Column[]
}

export async function withColumns(query: Tx['query'], table: ImportedTable): Promise<Copied> {
  const columns = await query<Column>(
    'import.columns',
    `SELECT column_name AS name, udt_name AS type, is_identity = 'YES' AS "isIdentity"
     FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
     ORDER BY ordinal_position`,
    [table.name],
  )
  return { ...table, columns }
}

/** The pages of a table in SQLite behind a key. */
export function* sqlitePages(
  sqlite: Database.Database,
  table: Copied,
  after: Row | undefined,
): Generator<Row[]> {
  const { name, source = `SELECT * FROM ${name}`, columns } = table
  const keys = keyColumns(table)
  const select = `SELECT ${names(columns)} FROM (${source}) AS t`
  const behind = `WHERE (${ofTable(keys)}) > (${keys.map(() => '?').join()})`
  const order = `ORDER BY ${ofTable(keys)} LIMIT ${PAGE}`
  const first = sqlite.prepare<[], unknown[]>(`${select} ${order}`).raw().safeIntegers()
  const following = sqlite.prepare<unknown[], unknown[]>(`${select} ${behind} ${order}`).raw().safeIntegers()
  for (let key = after; ; ) {
    const found = key ? following.all(...key.map((value, at) => toSqlite(keys[at], value))) : first.all()
    const page = found.map((row) => row.map((value, at) => fromSqlite(columns[at], value)))
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    key = keyOf(table, page.at(-1))
  }
}

/** All pages of a table in PostgreSQL. */
export async function* postgresPages(query: Tx['query'], table: Copied): AsyncGenerator<Row[]> {
  const { name, columns } = table
  const keys = keyColumns(table)
  const select = `SELECT ${columns.map(textOf).join()} FROM ${name} AS t`
  const behind = `WHERE (${ofTable(keys)}) > (${keys.map(({ type }, at) => typed(`$${at + 1}::text`, type)).join()})`
  const order = `ORDER BY ${ofTable(keys)} LIMIT ${PAGE}`
  for (let key: Row | undefined; ; ) {
    const found = key
      ? await query<Record<string, Value>>(`import.next.${name}`, `${select} ${behind} ${order}`, key)
      : await query<Record<string, Value>>(`import.first.${name}`, `${select} ${order}`)
    const page = found.map((row) => columns.map((column) => canonical(column.type, row[column.name] ?? null)))
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    key = keyOf(table, page.at(-1))
  }
}

/** The highest key of a table in PostgreSQL. */
export async function highestKey(query: Tx['query'], table: Copied): Promise<Row | undefined> {
  const keys = keyColumns(table)
  const [row] = await query<Record<string, Value>>(
    `import.highest.${table.name}`,
    `SELECT ${keys.map(textOf).join()} FROM ${table.name} AS t
     ORDER BY ${keys.map((key) => `t.${key.name} DESC`).join()} LIMIT 1`,
  )
  return row && keys.map((key) => row[key.name] ?? null)
}

/** Inserts rows with the numbers that they have. */
export async function insertRows({ query }: Tx, { name, columns }: Copied, rows: readonly Row[]) {
  const arrays = columns.map((_, at) => `$${at + 1}::text[]`)
  const values = columns.map((column, at) => typed(`r.c${at}`, column.type))
  await query(
    `import.insert.${name}`,
    `INSERT INTO ${name} (${names(columns)}) OVERRIDING SYSTEM VALUE
     SELECT ${values.join()} FROM unnest(${arrays.join()}) AS r (${columns.map((_, at) => `c${at}`).join()})`,
    columns.map((_, at) => rows.map((row) => row[at])),
  )
}

function names(columns: readonly Column[]): string {
  return columns.map((column) => column.name).join()
}

/** The columns of the table, and not the texts that a query makes of them. */
function ofTable(columns: readonly Column[]): string {
  return columns.map((column) => `t.${column.name}`).join()
}

function keyColumns({ key, columns }: Copied): Column[] {
  return columns.filter(({ name }) => key.includes(name))
}

function keyOf({ key, columns }: Copied, row: Row | undefined): Row | undefined {
  return row?.filter((_, at) => key.includes(columns[at]?.name ?? ''))
}

/** A column of PostgreSQL as a text. */
function textOf({ name, type }: Column): string {
  return type === 'bytea' ? `encode(${name}, 'hex') AS ${name}` : `${name}::text AS ${name}`
}

/** A text as a value of a type of PostgreSQL. */
function typed(text: string, type: string): string {
  return type === 'bytea' ? `decode(${text}, 'hex')` : `(${text})::${type}`
}

function fromSqlite(column: Column | undefined, value: unknown): Value {
  if (value === null) return null
  if (Buffer.isBuffer(value)) return value.toString('hex')
  // A text of PostgreSQL holds no NUL.
  return canonical(column?.type ?? '', String(value).replaceAll('\0', '\ufffd'))
}

function toSqlite(column: Column | undefined, value: Value): unknown {
  if (value === null || column?.type === 'text') return value
  return column?.type === 'bytea' ? Buffer.from(value, 'hex') : BigInt(value)
}

/** Both sides write a flag and JSON in their own way. */
function canonical(type: string, text: Value): Value {
  if (text === null) return null
  if (type === 'bool') return String(text === '1' || text === 'true')
  return type === 'jsonb' ? toJson(sorted(JSON.parse(text))) : text
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const)
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
