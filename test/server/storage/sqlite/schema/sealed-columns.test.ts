import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { SEALED_TABLES, sealedFields } from '../../../../../server/storage/shared/sealed-columns.ts'
import { openTestStorage } from '../../../../support/storage.ts'

/** Binary columns that are no sealed values: hashes of random tokens and keys, and keyed hashes. */
const HASHES = [
  ...['devices.login_hash', 'device_rekeys.login_hash', 'tokens.hash', 'users.phone_hash'],
  ...['console_links.hash', 'console_sessions.hash'],
  'bank_accounts.account_hash',
  'devices.label_hash',
  'verification_codes.hash',
  // Bits of hashes of columns that are not sealed.
  'payment_digests.keys',
]

/** The columns of a database as the migrations make it. */
function columnsWhere(condition: string): string[] {
  const sqlite = new Database(openTestStorage().file, { readonly: true })
  const columns = sqlite.prepare<[], string>(
    `SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND ${condition}`,
  )
  const found = columns.pluck().all()
  sqlite.close()
  return found
}

it('knows every binary column: it is sealed, or a hash', () => {
  const listed = SEALED_TABLES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
  expect(columnsWhere("c.type = 'BLOB'").sort()).toEqual([...listed, ...HASHES].sort())
  expect(listed).toContain('stores.static_qr_code')
})

it('reads each table by its primary key', () => {
  const keys = columnsWhere('c.pk = 1')
  for (const { table, key } of SEALED_TABLES) expect(keys).toContain(`${table}.${key}`)
})

it('binds a value to table, row and column', () => {
  const vault = createVault(Buffer.alloc(32, 1))
  const stores = sealedFields(vault, 'stores')
  const sealed = stores.seal('1', 'phoneNumber', '0912345678')
  expect(stores.read('1', 'phoneNumber', sealed)).toBe('0912345678')
  expect(vault.open('stores/1/phoneNumber', sealed).toString()).toBe('0912345678')
  expect(() => stores.open('2', 'phoneNumber', sealed)).toThrow()
  expect(() => stores.open('1', 'identityNumber', sealed)).toThrow()
})
