import Database from 'better-sqlite3'
import { OperatorError, reason } from '../../../platform/errors.ts'
import { nameOfUser, userOfFile } from '../engine/file-users.ts'
import { makePrivateFile } from '../engine/private-file.ts'

/** What a person is told when the lock is taken: by whom, and what to do. */
export interface TakenWords {
  /** The hub that runs there. */
  hub: string
  /** What to do about it. */
  instead: string
  /** What to do about a command, which ends by itself. */
  wait: string
}

const ANOTHER_HUB: TakenWords = {
  hub: 'Another hub',
  instead: 'stop it, or set HUB_DATA_DIR to another',
  wait: 'wait until that has ended, or set HUB_DATA_DIR to another',
}

/**
 * Locks a data folder for one hub: two hubs would each send every announcement. The lock is an open transaction on a
 * file of its own, so the system releases it however the process ends. The returned function releases it.
 */
export function lockForOneHub(file: string, words = ANOTHER_HUB): () => void {
  let lock: Database.Database | undefined
  try {
    // Whoever can open the file can hold a lock on it.
    makePrivateFile(file)
    lock = new Database(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock.close.bind(lock)
  } catch (error) {
    lock?.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') throw taken(file, words)
    throw new OperatorError(
      `The lock ${file} can't be taken (${reason(error)}): make the data folder writable for this user.`,
    )
  }
}

function taken(file: string, { hub, instead, wait }: TakenWords): OperatorError {
  const user = userOfFile(file)
  if (user?.isCommand) return new OperatorError(`This data folder is in use by ${nameOfUser(user)}: ${wait}.`)
  const who = user ? ` (${nameOfUser(user)})` : ''
  return new OperatorError(`${hub} is running on this data folder${who}: ${instead}.`)
}
