import Database from 'better-sqlite3'

/*
 * Loaded before the hub, in each of its threads: its commits no longer wait for the disk. The states of a crash must
 * then show losses, or they would show none of another hub either.
 */

const { pragma } = Database.prototype
Database.prototype.pragma = function (source, options) {
  return pragma.call(this, source === 'synchronous = FULL' ? 'synchronous = NORMAL' : source, options)
}
