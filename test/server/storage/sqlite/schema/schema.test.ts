import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { openDatabase } from '../../../../../server/storage/sqlite/engine/database.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { makePreviousDatabase } from './previous-schema.ts'

const vault = createVault(TEST_MASTER_KEY)

/** A file that only the migrations have touched, opened as the hub does. */
function migrated() {
  const file = join(temporaryFolder(), 'hub.db')
  const database = openDatabase(file, vault)
  const pragma = (name: string) => database.sqlite.pragma(name, { simple: true })
  const pragmas = {
    journal: pragma('journal_mode'),
    synchronous: pragma('synchronous'),
    keys: pragma('foreign_keys'),
  }
  database.close()
  return { file, pragmas }
}

function read<T>(file: string, sql: string): T[] {
  const sqlite = new Database(file, { readonly: true })
  // The rows' shape is what SQLite documents for the statement.
  const rows = sqlite.prepare(sql).all() as T[]
  sqlite.close()
  return rows
}

describe('the file', () => {
  it('has only STRICT tables', () => {
    const loose = read<{ name: string }>(
      migrated().file,
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%' AND name NOT LIKE '__drizzle%'",
    )
    expect(loose).toEqual([])
  })

  it('uses a write-ahead log, flushes at every commit, and checks foreign keys', () => {
    expect(migrated().pragmas).toEqual({ journal: 'wal', synchronous: 2, keys: 1 })
  })

  it('has an index for every look-up that is not by the primary key', () => {
    const { file } = migrated()
    const plan = (sql: string) => read<{ detail: string }>(file, `EXPLAIN QUERY PLAN ${sql}`)
    for (const sql of [
      "SELECT * FROM tokens WHERE family_id = ''",
      'SELECT * FROM device_stores WHERE device_number = 1',
      'SELECT * FROM announcements WHERE payment_number = 1',
      "SELECT * FROM payments WHERE client_id = '' AND ft_code = ''",
      'SELECT * FROM idempotency_keys WHERE expires_at <= 0',
    ])
      expect(
        plan(sql)
          .map(({ detail }) => detail)
          .join(),
        sql,
      ).toContain('USING INDEX')
  })

  it('has no foreign key that makes a payment read the wide rows of its store and its speaker', () => {
    const { file } = migrated()
    const references = (table: string) =>
      read<{ table: string }>(file, `PRAGMA foreign_key_list(${table})`).map((key) => key.table)
    for (const table of ['payments', 'announcements', 'store_totals_recent', 'device_numbers_recent'])
      expect(['stores', 'devices', 'partners'].filter((wide) => references(table).includes(wide))).toEqual([])
    expect(references('announcements')).toEqual(['payments'])
    expect(references('store_totals')).toEqual(['stores'])
  })

  it('can be opened again and again: migrations run once', () => {
    const { file } = migrated()
    const before = read(file, 'SELECT * FROM __drizzle_migrations')
    openDatabase(file, vault).close()
    expect(read(file, 'SELECT * FROM __drizzle_migrations')).toEqual(before)
  })

  it('gives the quota of codes that belonged to a device to the partners that have used it', () => {
    const file = makePreviousDatabase(temporaryFolder(), 1)
    const earlier = new Database(file)
    earlier.exec("INSERT INTO partners (client_id, name, created_at) VALUES ('sbc_2', 'Other', 1)")
    earlier.exec("INSERT INTO verification_quotas VALUES ('device-1', 100, 3)")
    const add = earlier.prepare(
      "INSERT INTO verification_codes VALUES (?, 'device-1', ?, zeroblob(32), ?, ?, 900)",
    )
    add.run('of the last period', 'sbc_1', 'used', 99)
    add.run('first', 'sbc_1', 'replaced', 100)
    add.run('second', 'sbc_2', 'burnt', 101)
    add.run('third', 'sbc_1', 'outstanding', 102)
    earlier.close()
    openDatabase(file, vault).close()
    const quota = { device_id: 'device-1', period_started_at: 100 }
    expect(read(file, 'SELECT * FROM verification_quotas ORDER BY client_id')).toEqual([
      { ...quota, client_id: 'sbc_1', issued: 2 },
      { ...quota, client_id: 'sbc_2', issued: 1 },
    ])
    expect(read(file, "SELECT id FROM verification_codes WHERE state = 'outstanding'")).toEqual([
      { id: 'third' },
    ])
  })
})
