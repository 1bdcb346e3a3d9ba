import type Database from 'better-sqlite3'
import { toJson } from '../../acts/act.ts'
import type { Tx } from '../engine/database.ts'
import type { ImportedTable } from './tables.ts'

/** Rows of a page, which is read, written and held in memory at once. */
const PAGE = 1_000

/** A column of PostgreSQL. SQLite has one of the same name. */
interface Column {
  name: string
  type: string
  /** A sequence numbers the rows. */
  isNumbered: boolean
}

/** The values of a row as texts. */
export type Row = readonly (string | null)[]

export interface Copied extends ImportedTable {
  columns: readonly Column[]
}

export async function withColumns(query: Tx['query'], table: ImportedTable): Promise<Copied> {
  const columns = await query<Column>(
    'import.columns',
    `SELECT column_name AS name, udt_name AS type,
       is_identity = 'YES' OR coalesce(column_default LIKE 'nextval(%', false) AS "isNumbered"
     FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
     ORDER BY ordinal_position`,
    [table.name],
  )
  return { ...table, columns }
}

/** The pages of a table in SQLite behind a key. */
export function* sqlitePages(
  sqlite: Database.Database,
  { name, source = `SELECT * FROM ${name}`, key, columns }: Copied,
  after?: readonly unknown[],
): Generator<Row[]> {
  const keys = key.map((column) => `t.${column}`).join()
  const select = `SELECT ${keys}, ${namesOf(columns)} FROM (${source}) AS t`
  const order = `ORDER BY ${keys} LIMIT ${PAGE}`
  const first = sqlite.prepare<unknown[], unknown[]>(`${select} ${order}`).raw().safeIntegers()
  const following = sqlite
    .prepare<unknown[], unknown[]>(`${select} WHERE (${keys}) > (${key.map(() => '?').join()}) ${order}`)
    .raw()
    .safeIntegers()
  for (let last = after; ; ) {
    const found = last ? following.all(...last) : first.all()
    if (found.length > 0)
      yield found.map((row) => columns.map(({ type }, at) => asText(type, row[key.length + at])))
    if (found.length < PAGE) return
    last = found.at(-1)?.slice(0, key.length)
  }
}

/** PostgreSQL stores no NUL and no lone surrogate: see `toJson`. */
function asText(type: string, value: unknown): string | null {
  if (value === null) return null
  if (Buffer.isBuffer(value)) return value.toString('hex')
  return type === 'jsonb' ? toJson(JSON.parse(String(value))) : String(value).replaceAll('\0', '\ufffd')
}

/** The highest key of a table in PostgreSQL. */
export async function highestKey(query: Tx['query'], { name, key }: Copied): Promise<unknown[] | undefined> {
  const [row] = await query<Record<string, unknown>>(
    `import.highest.${name}`,
    `SELECT ${key.join()} FROM ${name} ORDER BY ${key.map((column) => `${column} DESC`).join()} LIMIT 1`,
  )
  return row && key.map((column) => row[column])
}

/** Inserts rows with the numbers that they have. */
export async function insertRows({ query }: Tx, { name, columns }: Copied, rows: readonly Row[]) {
  await query(
    `import.insert.${name}`,
    `INSERT INTO ${name} (${namesOf(columns)}) OVERRIDING SYSTEM VALUE ${given(columns)}`,
    parameters(columns, rows),
  )
}

/** How many of these rows PostgreSQL has, each with the same values. */
export async function countSame(
  query: Tx['query'],
  { name, key, columns }: Copied,
  rows: readonly Row[],
): Promise<number> {
  const same = columns.map((column) => `t.${column.name} IS NOT DISTINCT FROM r.${column.name}`)
  const [found] = await query<{ count: number }>(
    `import.same.${name}`,
    `SELECT count(*) AS count FROM (${given(columns)}) AS r JOIN ${name} AS t USING (${key.join()})
     WHERE ${same.join(' AND ')}`,
    parameters(columns, rows),
  )
  return found?.count ?? 0
}

/** The rows of the parameters, with the types of PostgreSQL. */
function given(columns: readonly Column[]): string {
  const values = columns.map(
    ({ name, type }, at) => `${type === 'bytea' ? `decode(c${at}, 'hex')` : `c${at}::${type}`} AS ${name}`,
  )
  const arrays = columns.map((_, at) => `$${at + 1}::text[]`)
  const texts = columns.map((_, at) => `c${at}`)
  return `SELECT ${values.join()} FROM unnest(${arrays.join()}) AS texts (${texts.join()})`
}

const parameters = (columns: readonly Column[], rows: readonly Row[]) =>
  columns.map((_, at) => rows.map((row) => row[at]))

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join()
