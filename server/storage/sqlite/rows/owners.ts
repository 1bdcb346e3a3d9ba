import type Database from 'better-sqlite3'
import type { Owner } from '../../../announcements/ports.ts'

export type Owners = ReturnType<typeof createOwners>

/**
 * The session that owns each device: the one of its last birth, until it ends. Inside a commit it is a fence, because no
 * other session can take the device over until the commit has ended.
 */
export function createOwners(sqlite: Database.Database) {
  const owned = sqlite
    .prepare<[Owner], number>('SELECT number FROM devices WHERE id = @deviceId AND session_id = @sessionId')
    .pluck()
  const leave = sqlite.prepare<[Owner]>(
    'UPDATE devices SET session_id = NULL WHERE id = @deviceId AND session_id = @sessionId',
  )
  return {
    /** The row id of the session's device. Undefined when the session does not own it. */
    rowIdOf: (owner: Owner) => owned.get(owner),
    leave: (owner: Owner) => void leave.run(owner),
  }
}
