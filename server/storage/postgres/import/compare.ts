import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Tx } from '../engine/database.ts'
import { counter, type Progress } from './progress.ts'
import { type Copied, countSame, sqlitePages } from './rows.ts'

/** A folder beside the database. */
export interface Compared {
  /** The rows in PostgreSQL by table. */
  rows: Record<string, number>
  /** SHA-256 of all rows of the folder, as hex: it changes with any of them. */
  digest: string
  /** What differs in the first table of which not all rows are the same on both sides. */
  difference: string | undefined
}

export async function compare(
  read: Tx['query'],
  sqlite: Database.Database,
  tables: readonly Copied[],
  progress: (done: Progress) => void,
): Promise<Compared> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  let difference: string | undefined
  for (const table of tables) {
    const { name, own = 'false' } = table
    hash.update(name)
    const count = counter('compared', name, progress)
    let [expected, same] = [0, 0]
    for (const page of sqlitePages(sqlite, table)) {
      expected += page.length
      same += await countSame(read, table, page)
      for (const row of page) hash.update(JSON.stringify(row))
      count(page.length)
    }
    const [found] = await read<{ rows: number }>(
      `import.count.${name}`,
      `SELECT count(*) AS rows FROM ${name} WHERE NOT (${own})`,
    )
    rows[name] = found?.rows ?? 0
    if (same !== expected || rows[name] !== expected)
      difference ??= `table ${name} differs (${expected} rows in the folder, ${rows[name]} in PostgreSQL)`
  }
  return { rows, digest: hash.digest('hex'), difference }
}
