import type Database from 'better-sqlite3'
import { OperatorError } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { hashOf, placeOf, SEALED_TABLES } from '../../shared/sealed-columns.ts'

/**
 * Reseals every value and recomputes every keyed hash, inside the caller's transaction. Returns the rows by table. Each table
 * is one statement that calls functions of ours: a million rows do not fill the memory.
 */
export function reseal(sqlite: Database.Database, from: Vault, to: Vault): Record<string, number> {
  sqlite.function('reseal', { directOnly: true }, (table, id, field, value) => {
    const place = placeOf(String(table), String(id), String(field))
    return to.seal(place, opened(from, place, value))
  })
  sqlite.function('rehash', { directOnly: true }, (table, clientId, id, field, value) => {
    const place = placeOf(String(table), String(id), String(field))
    return hashOf(
      to,
      String(table),
      String(clientId),
      String(field),
      opened(from, place, value).toString('utf8'),
    )
  })
  const counts = SEALED_TABLES.map(({ name, table, fields, columns, hashed }) => {
    const set = columns.map((column, at) => `${column} = reseal('${table}', id, '${fields[at]}', ${column})`)
    // The right sides have the values from before the statement.
    if (hashed) set.push(`${hashed}_hash = rehash('${table}', client_id, id, '${hashed}', ${hashed})`)
    return [name, sqlite.prepare(`UPDATE ${table} SET ${set.join()}`).run().changes]
  })
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
