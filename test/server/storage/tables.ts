import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { Client } from 'pg'

/** The hash of each table of a database, in whatever order its rows are. It is read past the storage. */
export type TableHashes = Readonly<Record<string, string>>

/** Stands before a text that no storage has. */
export const BY_TEST = '/* by a test */'

export async function sqliteTables(file: string): Promise<TableHashes> {
  const sqlite = new Database(file, { readonly: true })
  try {
    const names = sqlite
      .prepare(`${BY_TEST} SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .pluck()
      .all()
    return Object.fromEntries(
      names.map((name) => [String(name), hashOf(sqlite.prepare(`${BY_TEST} SELECT * FROM "${name}"`).all())]),
    )
  } finally {
    sqlite.close()
  }
}

export async function postgresTables(url: string): Promise<TableHashes> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    )
    const hashes: Record<string, string> = {}
    for (const { name } of rows) hashes[name] = hashOf((await client.query(`SELECT * FROM "${name}"`)).rows)
    return hashes
  } finally {
    await client.end()
  }
}

function hashOf(rows: readonly unknown[]): string {
  const texts = rows.map((row) => JSON.stringify(row)).toSorted()
  return createHash('sha256').update(texts.join('\n')).digest('hex')
}
