import type Database from 'better-sqlite3'

/**
 * What `PRAGMA user_version` is set to, in the same transaction, by whatever replaces values that must not be
 * found in the file any more: those that stood readable, or were sealed under a master key that is given up.
 *
 * Why: SQLite leaves replaced content in free pages, in the gaps of pages and in the log. Only writing the file
 * anew removes it, which no transaction can hold; so what is still to be done is noted in the file itself, and
 * survives a crash in between. Held by test/server/storage/sqlite/schema/seal-migration.test.ts and rotate-key.test.ts.
 */
export const SCRUB_DUE = 1
const SCRUBBED = 0

export function isScrubbed(sqlite: Database.Database): boolean {
  return sqlite.pragma('user_version', { simple: true }) !== SCRUB_DUE
}

/** Writes the file anew when that is due. False when it could not be now: the next opening tries again. */
export function scrubIfDue(sqlite: Database.Database): boolean {
  if (isScrubbed(sqlite)) return true
  try {
    // First the log, so that the disk need not hold it twice.
    emptyLog(sqlite)
    sqlite.exec('VACUUM')
    if (!emptyLog(sqlite)) return false
    sqlite.pragma(`user_version = ${SCRUBBED}`)
    return true
  } catch {
    // A full disk, or another process that writes or reads for long: no reason not to take payments.
    return false
  }
}

/** Moves the log into the file and cuts it to nothing; false when another process still reads from it. */
function emptyLog(sqlite: Database.Database): boolean {
  // The pragma answers one row of three numbers.
  const [result] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return result?.busy === 0
}
