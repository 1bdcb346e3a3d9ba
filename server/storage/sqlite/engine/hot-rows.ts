import type Database from 'better-sqlite3'

/** Writes to the small table between two flushes. A flush moves some 2,000 rows in a few milliseconds. */
const FLUSHED_AFTER = 2_048

/**
 * A small hot table, `…_recent`, to which every payment writes, in front of a large table with the same columns. Every
 * 2,048 writes, the rows of the hot table are merged into the large one.
 *
 * Why two tables: SQLite writes whole pages, to the log and then to the file. Payments come to stores in no order, so
 * in one table of a hundred thousand stores each payment would write a page of its own. The hot table fills some ten
 * pages. The payments of one commit share them, and the next commits overwrite them. A flush goes in the order of the
 * keys, and writes every page of the large table once. Measured with `npm run bench -- million`: test/bench/README.md.
 *
 * A flush adds up the columns that say `sum`. In the others the hot value replaces the old one. The returned function is
 * called inside a commit, after a write to the hot table. The first call flushes the rows of an earlier process.
 */
export function createHotRows(
  sqlite: Database.Database,
  large: string,
  key: string,
  values: Readonly<Record<string, 'sum' | 'newest'>>,
): () => void {
  const changed = Object.entries(values).map(
    ([name, merge]) => `${name} = ${merge === 'sum' ? `${name} + ` : ''}excluded.${name}`,
  )
  const columns = [key, ...Object.keys(values)].join()
  // Without WHERE the parser takes ON for the condition of a join.
  const move = sqlite.prepare(
    `INSERT INTO ${large} (${columns}) SELECT ${columns} FROM ${large}_recent WHERE true ORDER BY ${key}
     ON CONFLICT (${key}) DO UPDATE SET ${changed.join()}`,
  )
  const empty = sqlite.prepare(`DELETE FROM ${large}_recent`)
  let writesLeft = 1

  return function countWrite() {
    writesLeft -= 1
    if (writesLeft > 0) return
    writesLeft = FLUSHED_AFTER
    move.run()
    empty.run()
  }
}
