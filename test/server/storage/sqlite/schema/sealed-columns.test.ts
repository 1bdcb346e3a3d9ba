import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteCustomColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { sealedFields } from '../../../../../server/storage/shared/sealed-columns.ts'
import * as schema from '../../../../../server/storage/sqlite/schema/schema.ts'
import { SEALED } from '../../../../../server/storage/sqlite/schema/sealed-columns.ts'

/** Binary columns that are no sealed values: hashes of random tokens and keys, and keyed hashes. */
const HASHES = [
  ...['devices.loginHash', 'deviceRekeys.loginHash', 'tokens.hash', 'users.phoneHash'],
  'verificationCodes.hash',
  // Bits of hashes of columns that are not sealed.
  'paymentDigests.keys',
]

const columns = Object.entries(schema).flatMap(([name, table]) =>
  is(table, SQLiteTable)
    ? Object.entries(getTableColumns(table)).map(([field, column]) => ({ at: `${name}.${field}`, column }))
    : [],
)
const listed = Object.entries(SEALED).flatMap(([name, { fields }]) =>
  fields.map((field) => `${name}.${field}`),
)

it('lists every sealed column of the schema, and no other', () => {
  const sealed = columns.filter(({ column }) => is(column, SQLiteCustomColumn)).map(({ at }) => at)
  expect(listed.sort()).toEqual(sealed.sort())
  expect(listed).toContain('stores.staticQRCode')
})

it('knows every binary column: it is sealed, or a hash', () => {
  const binary = columns.filter(({ column }) => column.getSQLType() === 'blob').map(({ at }) => at)
  expect(binary.sort()).toEqual([...listed, ...HASHES].sort())
})

it.each(Object.entries(SEALED))(
  'names the table $0 and its primary key as the schema does',
  (name, { table, key }) => {
    expect(Object(schema)[name]).toBe(table)
    const columns = Object.values(getTableColumns(table)).filter(({ name }) => name === key)
    expect(columns).toMatchObject([{ primary: true }])
  },
)

it('binds a value to table, row and column', () => {
  const vault = createVault(Buffer.alloc(32, 1))
  const stores = sealedFields(vault, 'stores')
  const sealed = stores.seal('1', 'phoneNumber', '0912345678')
  expect(stores.read('1', 'phoneNumber', sealed)).toBe('0912345678')
  expect(vault.open(`${getTableName(schema.stores)}/1/phoneNumber`, sealed).toString()).toBe('0912345678')
  expect(() => stores.open('2', 'phoneNumber', sealed)).toThrow()
  expect(() => stores.open('1', 'identityNumber', sealed)).toThrow()
})
