import type Database from 'better-sqlite3'
import { OperatorError } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { phoneHash, placeOf, SEALED_TABLES, type SealedColumns } from '../../shared/sealed-columns.ts'

/** Rows in memory at once. */
const PAGE = 500

/** Reseals every value and recomputes every keyed hash, inside the caller's transaction. Returns the rows by table. */
export function reseal(sqlite: Database.Database, from: Vault, to: Vault): Record<string, number> {
  return Object.fromEntries(SEALED_TABLES.map((table) => [table.name, resealTable(sqlite, table, from, to)]))
}

/**
 * Ends the outstanding verification codes: the database has only their keyed hashes, which can't be recomputed. Erases
 * the hashes of all codes, so that nobody can try the old key on them.
 */
export function endVerificationCodes(sqlite: Database.Database): number {
  const ended = sqlite
    .prepare("UPDATE verification_codes SET state = 'replaced' WHERE state = 'outstanding'")
    .run()
  sqlite.exec('UPDATE verification_codes SET hash = zeroblob(32)')
  return ended.changes
}

function resealTable(
  sqlite: Database.Database,
  { table, key, fields, columns }: SealedColumns,
  from: Vault,
  to: Vault,
): number {
  const isUsers = table === 'users'
  const changed = isUsers ? [...columns, 'phone_hash'] : columns
  const update = sqlite.prepare(
    `UPDATE ${table} SET ${changed.map((column) => `${column} = ?`).join()} WHERE ${key} = ?`,
  )
  const read = ['id', isUsers ? 'client_id' : 'NULL', ...columns]
  let count = 0
  for (const [at, id, clientId, ...values] of rowsOf(sqlite, table, key, read)) {
    const places = fields.map((field) => placeOf(table, String(id), field))
    const plain = places.map((place, index) => opened(from, place, values[index]))
    const sealed = plain.map((value, index) => to.seal(places[index] ?? '', value))
    const hashes = isUsers
      ? plain.map((phone) => phoneHash(to, String(clientId), phone.toString('utf8')))
      : []
    update.run(...sealed, ...hashes, at)
    count += 1
  }
  return count
}

function opened(vault: Vault, place: string, value: unknown): Buffer {
  try {
    if (Buffer.isBuffer(value)) return vault.open(place, value)
  } catch {
    // The error below names the place.
  }
  throw new OperatorError(
    `Nothing was changed: the value at ${place} does not open under the master key, so the database is damaged: restore a backup.`,
  )
}

/**
 * The rows of a table by rising key, each as its key and the named columns. Reads page by page: the caller may change
 * rows on the way, and a million rows do not fill the memory.
 */
function* rowsOf(
  sqlite: Database.Database,
  table: string,
  key: string,
  columns: string[],
): Generator<[string | number, ...unknown[]]> {
  const select = `SELECT ${key}, ${columns.join()} FROM ${table}`
  const order = `ORDER BY ${key} LIMIT ${PAGE}`
  // The key is a text or a number. The columns that the caller named follow it.
  type Row = [string | number, ...unknown[]]
  const following = sqlite.prepare<[string | number], Row>(`${select} WHERE ${key} > ? ${order}`).raw()
  let page = sqlite.prepare<[], Row>(`${select} ${order}`).raw().all()
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield* page
    page = following.all(last[0])
  }
}
