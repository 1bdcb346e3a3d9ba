import Database from 'better-sqlite3'
import { HubError } from '../../../platform/errors.ts'

const RETRY_AFTER_S = 1

/**
 * Lets the driver's failures (a full disk, an unreadable file, a closed database) leave a port as UNAVAILABLE:
 * whoever asked can ask again. A broken constraint is our own mistake and leaves as it is.
 */
export function guarded<P extends object>(port: P): P {
  const acts = Object.entries(port).map(([name, act]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await act(...args)
      } catch (error) {
        throw isDriverFailure(error)
          ? new HubError('UNAVAILABLE', { retryAfterS: RETRY_AFTER_S, cause: error })
          : error
      }
    },
  ])
  // Every method of a port is asynchronous, so each is replaced by one of its own type.
  return Object.fromEntries(acts) as P
}

function isDriverFailure(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return !error.code.startsWith('SQLITE_CONSTRAINT')
  return error instanceof TypeError && error.message.startsWith('The database connection is not open')
}
