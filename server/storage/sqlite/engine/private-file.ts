import { accessSync, closeSync, constants, openSync } from 'node:fs'

/**
 * Makes the file of a database before SQLite does, so that only this user can read it and its log.
 *
 * Why it does not open an existing file: closing it would release the locks of all connections of this process (POSIX,
 * fcntl), and the hub has two. Another process would then believe that it is the last user of the file, and would
 * delete the log when it closes, with all later commits.
 * Held by test/whole/server/storage/sqlite/file/database-locks.test.ts.
 */
export function makePrivateFile(file: string) {
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    accessSync(file, constants.R_OK | constants.W_OK)
  }
}
