import type Database from 'better-sqlite3'
import { OperatorError } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import type { KeyChange, KeyRotation } from '../../ports.ts'
import { openFile } from '../engine/database.ts'
import { endVerificationCodes, reseal } from './reseal.ts'
import { SCRUB_DUE, scrubIfDue } from './scrub.ts'

/**
 * Changes the master key that a database is sealed under:
 *  1. take the file alone: a process that had it open with the old key would go on sealing under that,
 *  2. prepare the new key,
 *  3. in one transaction seal everything anew, the canary with it, and end what can't be,
 *  4. put the new key in force,
 *  5. write the file anew, so that nothing of the old key is left in it.
 * It may die at any point: the canary tells which key is in force, and the file itself that step 5 is due.
 */
export function rotateMasterKey(
  file: string,
  from: Vault,
  key: KeyChange,
  options: { busyTimeoutMs?: number } = {},
): KeyRotation {
  const sqlite = openFile(file, from, { ...options, alone: true })
  try {
    const changed = change(sqlite, from, key.prepare())
    key.adopt()
    return { ...changed, scrubbed: scrubIfDue(sqlite) }
  } finally {
    sqlite.close()
  }
}

function change(sqlite: Database.Database, from: Vault, to: Vault) {
  const act = sqlite.transaction(() => {
    const resealed = reseal(sqlite, from, to)
    const codesEnded = endVerificationCodes(sqlite)
    sqlite.pragma(`user_version = ${SCRUB_DUE}`)
    return { resealed, codesEnded }
  })
  try {
    return act.immediate()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `The master key was not changed (${why}): make room for two more copies of the database, and try again.`,
    )
  }
}
