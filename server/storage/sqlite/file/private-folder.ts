import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, reason } from '../../../platform/errors.ts'

/**
 * The files that the hub makes, besides its keys: a key that others could read may be known to them, so its reader refuses
 * it (readKeyFile). Whoever may open `hub.lock` can hold a lock on it, and the next hub does not start.
 */
const OWN_FILE = /^hub\.(db|lock|json)/
const FOR_OTHERS = 0o077
const STICKY = 0o1000

/**
 * Closes a data folder and the hub's files in it to other users, and returns the paths whose mode it has changed. Throws an
 * OperatorError for what belongs to another user, and for a folder that is shared by intent, such as /tmp. `user` is
 * undefined on a system without owners and modes.
 */
export function makePrivate(folder: string, user = process.getuid?.()): string[] {
  if (user === undefined) return []
  const stats = statSync(folder)
  if (stats.mode & STICKY)
    throw new OperatorError(
      `${folder} is shared by all users: set HUB_DATA_DIR to a folder of this user alone, such as ${join(folder, 'soundbox-hub')}.`,
    )
  const changed = close(folder, stats, 0o700, user) ? [folder] : []
  for (const name of readdirSync(folder).filter((one) => OWN_FILE.test(one))) {
    const file = join(folder, name)
    // SQLite may have removed its log meanwhile.
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (found?.isFile() && close(file, found, 0o600, user)) changed.push(file)
  }
  return changed
}

/** Sets the mode by name: opening and closing a database would release its locks (POSIX, fcntl). */
function close(path: string, { mode, uid }: Stats, wanted: number, user: number): boolean {
  if ((mode & FOR_OTHERS) === 0) return false
  const command = `chmod ${wanted.toString(8)} ${path}`
  if (uid !== user)
    throw new OperatorError(
      `Other users can open ${path}, and it belongs to another user than the hub's: run ${command} as its owner, or set HUB_DATA_DIR to a new folder, which the hub makes.`,
    )
  try {
    chmodSync(path, wanted)
    return true
  } catch (error) {
    throw new OperatorError(
      `Other users can open ${path}, and its mode can't be changed (${reason(error)}): run ${command}.`,
    )
  }
}
