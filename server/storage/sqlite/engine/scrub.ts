import type Database from 'better-sqlite3'

/**
 * The `PRAGMA user_version` of a file that must be rewritten. A transaction sets it when it replaces values that
 * must not stay in the file: readable ones, or values sealed under an old master key.
 *
 * Why: SQLite leaves replaced content in free pages, in the gaps of pages and in the log. Only a rewrite of the file
 * removes it, and a rewrite can't be part of a transaction. The mark in the file survives a crash between the two.
 * Held by test/server/storage/sqlite/schema/seal-migration.test.ts and test/whole/server/storage/sqlite/file/rotate-key.test.ts.
 */
export const SCRUB_DUE = 1
const SCRUBBED = 0

export function isScrubbed(sqlite: Database.Database): boolean {
  return sqlite.pragma('user_version', { simple: true }) !== SCRUB_DUE
}

/** Rewrites the file when that is due. False when it failed: the next opening tries again. */
export function scrubIfDue(sqlite: Database.Database): boolean {
  if (isScrubbed(sqlite)) return true
  try {
    // The log first, so that the disk does not hold it twice.
    emptyLog(sqlite)
    sqlite.exec('VACUUM')
    if (!emptyLog(sqlite)) return false
    sqlite.pragma(`user_version = ${SCRUBBED}`)
    return true
  } catch {
    // The disk is full, or another process writes or reads for long. The hub can take payments all the same.
    return false
  }
}

/** Moves the log into the file and empties it. False when another process still reads from it. */
function emptyLog(sqlite: Database.Database): boolean {
  // The pragma answers one row of three numbers.
  const [result] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return result?.busy === 0
}
