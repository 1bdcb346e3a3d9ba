import Database from 'better-sqlite3'
import { type Bug, EASY, HARD } from './bug.ts'
import type { Plants } from './world.ts'

/** What goes wrong in the log of events, which the database's own triggers write. */
export const EVENT_BUGS: readonly Bug[] = [
  {
    name: 'an end of an announcement that leaves no event',
    ...EASY,
    breaks: ['events'],
    plants: () => inTriggers((sql) => sql.replace("'played', ", '')),
  },
  {
    name: 'an event that is written again whenever its announcement is touched',
    ...HARD,
    breaks: ['events'],
    plants: () =>
      inTriggers((sql) => sql.replace('UPDATE OF stage', 'UPDATE').replace('AND old.stage <> new.stage', '')),
  },
  {
    name: 'seqs that do not follow the clock, and repeat themselves after a restore',
    ...HARD,
    kind: { restores: true },
    breaks: ['events'],
    plants: () =>
      inTriggers((sql) => sql.replaceAll(/max\((new\.received_at|coalesce\([^)]*\)) \* 1000/g, 'max(0')),
  },
]

/** Changes the triggers of each file that a hub opens. */
function inTriggers(change: (sql: string) => string): Plants {
  return {
    storage(storage, file) {
      const sqlite = new Database(file)
      const triggers = sqlite
        .prepare<[], { name: string; sql: string }>(
          "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%INSERT INTO events%'",
        )
        .all()
      for (const { name, sql } of triggers) sqlite.exec(`DROP TRIGGER ${name}; ${change(sql)}`)
      sqlite.close()
      return storage
    },
  }
}
