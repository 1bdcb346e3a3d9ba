import Database from 'better-sqlite3'
import { unavailable } from '../../shared/storage-errors.ts'

/**
 * A failure of the driver (a full disk, an unreadable file, a closed database) as UNAVAILABLE. A broken constraint is a bug of ours, and every other error is not the driver's: both stay as they are.
 */
export function mapDriverError(error: unknown): unknown {
  return isDriverFailure(error) ? unavailable(error) : error
}

function isDriverFailure(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return !error.code.startsWith('SQLITE_CONSTRAINT')
  return error instanceof TypeError && error.message.startsWith('The database connection is not open')
}
