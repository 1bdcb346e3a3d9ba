import { expect, it } from 'vitest'
import { readMigrations } from '../../../../../server/storage/postgres/schema/migrate.ts'

/** What a hub of the release before may need, or may not fill. */
const CONTRACTS =
  /\b(DROP|RENAME|TRUNCATE|SET NOT NULL|ADD CONSTRAINT|CREATE UNIQUE INDEX)\b|\bALTER COLUMN \w+ (SET DATA )?TYPE\b|\bADD COLUMN \w+ (?![^,;]*DEFAULT)[^,;]*NOT NULL/i

/** Migrations with which such a hub goes on although they match, each with the reason. */
const REVIEWED: Readonly<Record<number, string>> = {
  14: 'no row breaks the constraints: they are what the partitions of 16 allow',
  16: 'each name is given again, to a table of partitions with the same columns, keys and triggers',
  22: 'what the hubs of the release before write keeps the new checks, and fires the same triggers; no row of theirs is in the index',
}

it('migrations are numbered from 1, without a gap', () => {
  expect(readMigrations().map(({ version }) => version)).toEqual(
    readMigrations().map((_, index) => index + 1),
  )
})

/** A migration that takes something away says which hub is the oldest that can go on. */
it.each(readMigrations().slice(1))(
  'migration $version lets the hubs of the release before go on',
  ({ version, sql }) => {
    const code = sql.replace(/^--.*$/gm, '')
    if (!/UPDATE schema SET oldest_hub/i.test(code) && !(version in REVIEWED))
      expect(CONTRACTS.exec(code)?.[0]).toBeUndefined()
    // An operator may have built an index of a table with rows, without holding payments up.
    const made = [...code.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/gi)].map(([, name]) => name)
    const indices = [...code.matchAll(/CREATE INDEX (IF NOT EXISTS )?\w+ ON (\w+)/gi)]
    const held = indices.filter(([, isOptional, table]) => !isOptional && !made.includes(table))
    expect(held.map(([statement]) => statement)).toEqual([])
  },
)

it.each([
  'ALTER TABLE stores DROP COLUMN bank_name',
  'ALTER TABLE stores RENAME COLUMN bank_name TO bank',
  'ALTER TABLE stores ADD COLUMN city text NOT NULL',
  'ALTER TABLE stores ALTER COLUMN bank_name TYPE varchar',
  'CREATE UNIQUE INDEX one ON stores (bank_name)',
])('finds what the release before can not live with: %s', (sql) => {
  expect(CONTRACTS.test(sql)).toBe(true)
})

it.each([
  'ALTER TABLE stores ADD COLUMN city text',
  'ALTER TABLE stores ADD COLUMN level integer NOT NULL DEFAULT 0',
])('takes what it need not know: %s', (sql) => {
  expect(CONTRACTS.test(sql)).toBe(false)
})
