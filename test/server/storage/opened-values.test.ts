import { expect, it } from 'vitest'
import { remembering } from '../../../server/storage/sqlite/opened-values.ts'
import { sealedFields } from '../../../server/storage/sqlite/sealed-columns.ts'
import { createVault } from '../../../server/vault.ts'

const NAMES = ['phoneNumber', 'identityNumber'] as const

function counted(limit?: number) {
  const fields = sealedFields(createVault(Buffer.alloc(32, 1)), 'stores')
  let opened = 0
  const count: typeof fields.read = (...where) => {
    opened += 1
    return fields.read(...where)
  }
  const row = (id: string, phoneNumber: string, identityNumber = 'identity') => ({
    phoneNumber: fields.seal(id, 'phoneNumber', phoneNumber),
    identityNumber: fields.seal(id, 'identityNumber', identityNumber),
  })
  return { row, read: remembering(count, NAMES, limit), opened: () => opened }
}

it('opens what is sealed the same once, and anew what was sealed anew', () => {
  const { row, read, opened } = counted()
  const first = row('1', '0912345678')
  const copy = { ...first, phoneNumber: Buffer.from(first.phoneNumber) }
  for (const same of [first, copy])
    expect(read('1', same)).toEqual({ phoneNumber: '0912345678', identityNumber: 'identity' })
  expect(opened()).toBe(2)
  const changed = { ...first, phoneNumber: row('1', '0987654321').phoneNumber }
  expect(read('1', changed).phoneNumber).toBe('0987654321')
  expect(read('1', first).phoneNumber).toBe('0912345678')
  expect(opened()).toBe(6)
})

it('takes no value from another place for its own', () => {
  const { row, read } = counted()
  const first = row('1', '0912345678')
  read('1', first)
  expect(() => read('2', first)).toThrow()
  const swapped = { phoneNumber: first.identityNumber, identityNumber: first.phoneNumber }
  expect(() => read('1', swapped)).toThrow()
})

it('forgets the row remembered longest, so that memory stays bounded', () => {
  const { row, read, opened } = counted(3)
  const rows = ['0', '1', '2', '3'].map((id) => [id, row(id, id)] as const)
  for (const [id, values] of rows) read(id, values)
  const before = opened()
  for (const [id, values] of rows.slice(1)) read(id, values)
  expect(opened()).toBe(before)
  for (const [id, values] of rows.slice(0, 1)) read(id, values)
  expect(opened()).toBe(before + NAMES.length)
})
