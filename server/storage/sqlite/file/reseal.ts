import type Database from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { OperatorError } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { phoneHash, placeOf, type SealedTable } from '../../shared/sealed-columns.ts'
import { SEALED } from '../schema/sealed-columns.ts'

/** Rows in memory at once. */
const PAGE = 500

/** Reseals every value and recomputes every keyed hash, inside the caller's transaction. Returns the rows by table. */
export function reseal(sqlite: Database.Database, from: Vault, to: Vault): Record<string, number> {
  const counts = Object.entries(SEALED).map(([name, list]) => [name, resealTable(sqlite, list, from, to)])
  rehashPhones(sqlite, to)
  return Object.fromEntries(counts)
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
  { table, fields, key }: (typeof SEALED)[SealedTable],
  from: Vault,
  to: Vault,
): number {
  const known: Record<string, { name: string }> = getTableColumns(table)
  const columns = fields.map((field) => known[field]?.name ?? field)
  const update = sqlite.prepare(
    `UPDATE ${getTableName(table)} SET ${columns.map((column) => `${column} = ?`).join()} WHERE ${key} = ?`,
  )
  let count = 0
  for (const [at, id, ...values] of rowsOf(sqlite, getTableName(table), key, ['id', ...columns])) {
    const sealed = fields.map((field, index) => {
      const place = placeOf(getTableName(table), String(id), field)
      return to.seal(place, opened(from, place, values[index]))
    })
    update.run(...sealed, at)
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

function rehashPhones(sqlite: Database.Database, vault: Vault) {
  const update = sqlite.prepare('UPDATE users SET phone_hash = ? WHERE id = ?')
  for (const [id, clientId, phone] of rowsOf(sqlite, 'users', 'id', ['client_id', 'phone'])) {
    const phoneNumber = opened(vault, placeOf('users', id, 'phone'), phone).toString('utf8')
    update.run(phoneHash(vault, String(clientId), phoneNumber), id)
  }
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
