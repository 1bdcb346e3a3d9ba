import Database from 'better-sqlite3'
import { OperatorError } from '../../errors.ts'

/**
 * Makes sure that one hub at a time works on a data folder: two would each send every announcement. The lock is
 * an open transaction on a file of its own, so the system gives it up whatever way the process ends.
 * The returned function gives it up.
 */
export function lockForOneHub(file: string): () => void {
  const lock = new Database(file, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new OperatorError(
      'Another hub is running on this data folder: stop it, or set HUB_DATA_DIR to another.',
    )
  }
  return () => lock.close()
}
