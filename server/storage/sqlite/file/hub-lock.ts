import Database from 'better-sqlite3'
import { OperatorError, reason } from '../../../platform/errors.ts'
import { makePrivateFile } from '../engine/private-file.ts'

/**
 * Locks a data folder for one hub: two hubs would each send every announcement. The lock is an open transaction on a
 * file of its own, so the system releases it however the process ends. The returned function releases it. `taken` is
 * the operator's sentence when another hub holds it.
 */
export function lockForOneHub(
  file: string,
  taken = 'Another hub is running on this data folder: stop it, or set HUB_DATA_DIR to another.',
): () => void {
  let lock: Database.Database | undefined
  try {
    // Whoever can open the file can hold a lock on it.
    makePrivateFile(file)
    lock = new Database(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock.close.bind(lock)
  } catch (error) {
    lock?.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') throw new OperatorError(taken)
    throw new OperatorError(
      `The lock ${file} can't be taken (${reason(error)}): make the data folder writable for this user.`,
    )
  }
}
