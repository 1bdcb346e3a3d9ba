import { expect, it } from 'vitest'
import { remembering } from '../../../server/storage/sqlite/opened-values.ts'
import { sealedFields } from '../../../server/storage/sqlite/sealed-columns.ts'
import { createVault } from '../../../server/vault.ts'

function counted() {
  const fields = sealedFields(createVault(Buffer.alloc(32, 1)), 'stores')
  let opened = 0
  const read = remembering({
    ...fields,
    read(...where) {
      opened += 1
      return fields.read(...where)
    },
  })
  return { seal: fields.seal, read, opened: () => opened }
}

it('opens what is sealed the same once, and anew what was sealed anew', () => {
  const { seal, read, opened } = counted()
  const first = seal('1', 'phoneNumber', '0912345678')
  expect([read('1', 'phoneNumber', first), read('1', 'phoneNumber', Buffer.from(first))]).toEqual([
    '0912345678',
    '0912345678',
  ])
  expect(opened()).toBe(1)
  expect(read('1', 'phoneNumber', seal('1', 'phoneNumber', '0987654321'))).toBe('0987654321')
  expect(read('1', 'phoneNumber', first)).toBe('0912345678')
  expect(opened()).toBe(3)
})

it('takes no value from another place for its own', () => {
  const { seal, read } = counted()
  const sealed = seal('1', 'phoneNumber', '0912345678')
  read('1', 'phoneNumber', sealed)
  expect(() => read('2', 'phoneNumber', sealed)).toThrow()
  expect(() => read('1', 'identityNumber', sealed)).toThrow()
})

it('forgets the one remembered longest, so that memory stays bounded', () => {
  const { seal, read, opened } = counted()
  const sealed = Array.from({ length: 10_001 }, (_, n) => seal(n, 'phoneNumber', String(n)))
  for (const [n, value] of sealed.entries()) read(n, 'phoneNumber', value)
  const before = opened()
  read(10_000, 'phoneNumber', sealed[10_000] ?? Buffer.alloc(0))
  read(1, 'phoneNumber', sealed[1] ?? Buffer.alloc(0))
  expect(opened()).toBe(before)
  read(0, 'phoneNumber', sealed[0] ?? Buffer.alloc(0))
  expect(opened()).toBe(before + 1)
})
