import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Orm } from './database.ts'

/** Writes to a recent table between two emptyings: each empties some 2,000 rows, in a few milliseconds. */
const EMPTIED_AFTER = 2_048

/**
 * Has the rows of a small table, to which every payment writes, added to those of the large one of the same columns.
 *
 * Why two tables: SQLite writes whole pages, to the log and from there to the file. Payments come to shops in no
 * order, so that in one table of a hundred thousand shops each payment writes a page of its own. The recent rows
 * fill some ten pages, which the payments of a commit share, and which the next commits write over. In the order
 * of their keys, two thousand of them meet every page of the large table once. Measured with
 * `npm run bench -- million`: test/bench/README.md.
 */
export interface Emptying {
  /** To be called inside a commit, after a write to the recent table. The first call empties what was left there. */
  noteWrite(): void
}

/** `sums` are the columns that are added up; of the others, what is recent takes the place of what was. */
export function createEmptying(
  orm: Orm,
  recent: SQLiteTable,
  large: SQLiteTable,
  sums: readonly string[] = [],
): Emptying {
  const [from, into] = [getTableName(recent), getTableName(large)]
  const [key = '', ...values] = Object.values(getTableColumns(large)).map(({ name }) => name)
  const changed = values.map((name) =>
    sums.includes(name) ? `${name} = ${name} + excluded.${name}` : `${name} = excluded.${name}`,
  )
  const columns = [key, ...values].join(', ')
  // WHERE true: else the parser takes ON for that of a join.
  const move = orm.$client.prepare(
    `INSERT INTO ${into} (${columns}) SELECT ${columns} FROM ${from} WHERE true ORDER BY ${key}
     ON CONFLICT (${key}) DO UPDATE SET ${changed.join(', ')}`,
  )
  const empty = orm.$client.prepare(`DELETE FROM ${from}`)
  let writesLeft = 1

  return {
    noteWrite() {
      writesLeft -= 1
      if (writesLeft > 0) return
      writesLeft = EMPTIED_AFTER
      move.run()
      empty.run()
    },
  }
}
