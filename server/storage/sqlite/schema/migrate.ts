import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { systemClock } from '../../../platform/clock.ts'
import { HUB } from '../../../security/actor.ts'
import type { Vault } from '../../../security/vault.ts'
import { noteChangeOn } from './audit-trail.ts'

const FOLDER = fileURLToPath(new URL('./migrations', import.meta.url))

let files: MigrationMeta[] | undefined
const readMigrations = () => (files ??= readMigrationFiles({ migrationsFolder: FOLDER }))

/**
 * Migrates a file to the newest schema in one transaction. Migrations may seal and open texts.
 *
 * Why not Drizzle's own migrator, whose files and table these are: it reads the pending migrations before it locks, so
 * two processes that open an old file at once would both migrate it, and seal twice.
 */
export function migrate(sqlite: Database.Database, vault: Vault) {
  const known = readMigrations()
  if (pending(sqlite, known).length === 0) return
  defineVault(sqlite, vault)
  // Migrations replace tables that other tables refer to, by SQLite's own recipe (lang_altertable, section 7).
  sqlite.pragma('foreign_keys = OFF')
  // They also drop constraints in the text of a table, by the same recipe.
  sqlite.unsafeMode(true)
  sqlite.transaction(() => apply(sqlite, pending(sqlite, known))).immediate()
  sqlite.unsafeMode(false)
  sqlite.pragma('foreign_keys = ON')
}

/** Whether the file has the newest schema. */
export function isMigrated(sqlite: Database.Database): boolean {
  return pending(sqlite, readMigrations()).length === 0
}

function apply(sqlite: Database.Database, migrations: MigrationMeta[]) {
  const isEmpty = !hasTable(sqlite, '__drizzle_migrations')
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  )
  const note = sqlite.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
  for (const { sql, hash, folderMillis } of migrations) {
    for (const statement of sql) sqlite.exec(statement)
    note.run(hash, folderMillis)
  }
  // A new file has never held readable values: no rewrite is due.
  if (isEmpty) sqlite.pragma('user_version = 0')
  else {
    const details = { migrations: migrations.length }
    noteChangeOn(sqlite, { by: HUB, at: systemClock.now(), action: 'database.migrate', subject: '', details })
  }
}

function pending(sqlite: Database.Database, known: MigrationMeta[]): MigrationMeta[] {
  if (!hasTable(sqlite, '__drizzle_migrations')) return known
  const applied = sqlite.prepare('SELECT created_at FROM __drizzle_migrations').pluck().all()
  return known.filter(({ folderMillis }) => !applied.includes(folderMillis))
}

export function hasTable(sqlite: Database.Database, name: string): boolean {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return table.get(name) !== undefined
}

/** Defines the vault's functions in SQL. Only our own statements can call them, no view or trigger of a file. */
function defineVault(sqlite: Database.Database, vault: Vault) {
  sqlite.function('seal', { directOnly: true }, (place, value) => {
    if (typeof place !== 'string' || typeof value !== 'string') throw new Error('seal() takes two texts')
    return vault.seal(place, value)
  })
  sqlite.function('open', { directOnly: true }, (place, value) => {
    if (typeof place !== 'string' || !Buffer.isBuffer(value))
      throw new Error('open() takes a text and a blob')
    return vault.open(place, value).toString('utf8')
  })
}
