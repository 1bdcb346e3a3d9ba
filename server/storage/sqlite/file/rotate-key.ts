import type Database from 'better-sqlite3'
import { systemClock } from '../../../platform/clock.ts'
import { OperatorError, reason } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import type { Vault } from '../../../security/vault.ts'
import { openFile } from '../engine/database.ts'
import { SCRUB_DUE, scrubIfDue } from '../engine/scrub.ts'
import { noteChangeOn } from '../schema/audit-trail.ts'
import { endVerificationCodes, reseal } from './reseal.ts'

/** The steps of a change of the master key, around the commit that seals the database under the new key. */
export interface KeyChange {
  /** Makes the new key durable, before anything is sealed under it. */
  prepare(): Vault
  /** Puts the new key in force: the database is sealed under it. */
  adopt(): void
}

export interface KeyRotation {
  /** Resealed rows, by table. */
  resealed: Record<string, number>
  /** Outstanding verification codes that ended. */
  codesEnded: number
  /** False when values sealed under the old key can still be found in the file. The next opening tries again. */
  scrubbed: boolean
}

/**
 * Changes the master key of a database:
 *  1. take the file alone: a process that has it open would go on sealing under the old key,
 *  2. prepare the new key,
 *  3. in one transaction reseal all values, also the canary, and end the codes, which can't be resealed,
 *  4. put the new key in force,
 *  5. rewrite the file, so that it holds no value under the old key.
 * The process may die at any point: the canary tells which key is in force, and the file tells whether step 5 is due.
 */
export function rotateMasterKey(
  file: string,
  from: Vault,
  key: KeyChange,
  by: Actor,
  options: { busyTimeoutMs?: number } = {},
): KeyRotation {
  const sqlite = openFile(file, from, { ...options, alone: true })
  try {
    const changed = change(sqlite, from, key.prepare(), by)
    key.adopt()
    return { ...changed, scrubbed: scrubIfDue(sqlite) }
  } finally {
    sqlite.close()
  }
}

function change(sqlite: Database.Database, from: Vault, to: Vault, by: Actor) {
  const act = sqlite.transaction(() => {
    const resealed = reseal(sqlite, from, to)
    const codesEnded = endVerificationCodes(sqlite)
    sqlite.pragma(`user_version = ${SCRUB_DUE}`)
    const details = { codesEnded }
    noteChangeOn(sqlite, { by, at: systemClock.now(), action: 'master-key.rotate', subject: '', details })
    return { resealed, codesEnded }
  })
  try {
    return act.immediate()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `The master key was not changed (${reason(error)}): make room for two more copies of the database, and try again.`,
    )
  }
}
