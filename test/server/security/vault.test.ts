import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVault, ForeignKey, isSame, keyIdOf } from '../../../server/security/vault.ts'

const vault = createVault(Buffer.alloc(32, 1))
const place = 'stores/1/phone'

describe('the vault', () => {
  it('opens a sealed value at the place for which it was sealed', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array(), (where, bytes) => {
        const plain = Buffer.from(bytes)
        expect(vault.open(where, vault.seal(where, plain))).toEqual(plain)
      }),
    )
  })

  it('opens a value after a restart with the same master key, and with no other', () => {
    const sealed = vault.seal(place, '0912345678')
    expect(createVault(Buffer.alloc(32, 1)).open(place, sealed).toString()).toBe('0912345678')
    expect(() => createVault(Buffer.alloc(32, 2)).open(place, sealed)).toThrow('another master key')
  })

  it('rejects a value that was moved to another row or column', () => {
    const sealed = vault.seal(place, '0912345678')
    for (const other of ['stores/2/phone', 'stores/1/identity', ''])
      expect(() => vault.open(other, sealed)).toThrow()
  })

  it('rejects a value with any one bit flipped, and a truncated value', () => {
    const sealed = vault.seal(place, '0912345678')
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      expect(() => vault.open(place, altered), `byte ${at}`).toThrow()
      expect(() => vault.open(place, sealed.subarray(0, at)), `${at} bytes`).toThrow()
    }
  })

  it('seals the same value differently each time', () => {
    expect(vault.seal(place, 'x')).not.toEqual(vault.seal(place, 'x'))
  })

  it('never seals twice with the same IV', () => {
    const ivs = Array.from({ length: 2_000 }, () => vault.seal(place, 'x').subarray(5, 17).toString('hex'))
    expect(new Set(ivs).size).toBe(ivs.length)
  })

  it('opens under each of its keys, and seals under the one that was named last', () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const both = createVault(first, second, first)
    const [one = '', other = ''] = both.keyIds
    const early = both.seal(place, 'x')
    both.sealUnder(other)
    const late = both.seal(place, 'y')
    expect([both.keyIds.length, keyIdOf(early), keyIdOf(late)]).toEqual([2, one, other])
    expect([both.open(place, early), both.open(place, late)].map(String)).toEqual(['x', 'y'])
    expect(both.fingerprints('users', 'x')).toEqual(
      [second, first].map((key) => createVault(key).fingerprint('users', 'x')),
    )
    expect(() => createVault(second).open(place, early)).toThrow(new ForeignKey(one))
    both.sealUnder('00000000')
    expect(() => both.seal(place, 'z')).toThrow(new ForeignKey('00000000'))
    expect(both.open(place, early).toString()).toBe('x')
  })

  it('gives equal values the same fingerprint, for one purpose and one key', () => {
    const print = vault.fingerprint('users', '0912345678')
    expect(vault.fingerprint('users', '0912345678')).toEqual(print)
    expect(vault.fingerprint('codes', '0912345678')).not.toEqual(print)
    expect(vault.fingerprint('users', '0912345679')).not.toEqual(print)
    expect(createVault(Buffer.alloc(32, 2)).fingerprint('users', '0912345678')).not.toEqual(print)
  })
})

it.each([
  { a: 'abc', b: 'abc', same: true },
  { a: 'abc', b: 'abd', same: false },
  { a: 'abc', b: 'ab', same: false },
  { a: '', b: '', same: true },
])('calls $a and $b the same: $same', ({ a, b, same }) => {
  expect(isSame(Buffer.from(a), Buffer.from(b))).toBe(same)
})
