import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEVICE_KEY_BYTES, deriveKeys, maskKey, parseKey, passwordOf, proofOf } from '../../protocol/keys.ts'
import { frameVectors } from './vectors.ts'

const deviceKey = fc
  .uint8Array({ minLength: DEVICE_KEY_BYTES, maxLength: DEVICE_KEY_BYTES })
  .map((bytes) => Buffer.from(bytes))

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('keys', () => {
  it.each(frameVectors.keys)(
    'sb/1 2.2, sb/1 2.3: derives the three keys of $serial as other implementations do',
    (vector) => {
      const key = parseKey(vector.key)
      expect(key && hex(key)).toBe(vector.keyHex)
      const keys = deriveKeys(Buffer.from(vector.keyHex, 'hex'))
      expect(hex(keys.login)).toBe(vector.loginHex)
      expect(hex(keys.down)).toBe(vector.downHex)
      expect(hex(keys.up)).toBe(vector.upHex)
      expect(passwordOf(keys)).toBe(vector.password)
    },
  )

  it.each(frameVectors.keys)('sb/1 2.5: proves possession of the key of $serial', (vector) => {
    expect(proofOf(vector.serial, Buffer.from(vector.keyHex, 'hex'))).toBe(vector.proof)
  })

  it.each(frameVectors.rekeys)('sb/1 2.6: masks the next key of $serial under $id', (vector) => {
    const [key, next, masked] = [vector.key, vector.next, vector.masked].map((text) => parseKey(text))
    if (!key || !next || !masked) throw new Error('the vector has keys')
    expect(hex(maskKey(key, vector.id, next))).toBe(hex(masked))
    expect(hex(maskKey(key, vector.id, masked))).toBe(hex(next))
    expect(hex(maskKey(key, vector.id, new Uint8Array(32)))).toBe(vector.padHex)
  })

  it('writes the login key as the password, which is read as a key is', () => {
    fc.assert(
      fc.property(deviceKey, (key) => {
        const keys = deriveKeys(key)
        expect(hex(parseKey(passwordOf(keys)) ?? new Uint8Array())).toBe(hex(keys.login))
      }),
    )
  })

  it('parses every key from its text', () => {
    fc.assert(
      fc.property(deviceKey, (key) => {
        expect(hex(parseKey(key.toString('base64url')) ?? new Uint8Array())).toBe(hex(key))
      }),
    )
  })

  it('accepts only one spelling of a key', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = [...alphabet].map((last) => `${'A'.repeat(42)}${last}`)
    const accepted = spellings.filter((text) => parseKey(text) !== undefined)
    // The last of 43 characters has four bits of the key, so 16 of its 64 values are canonical.
    expect(accepted).toHaveLength(16)
    expect(new Set(accepted.map((text) => String(parseKey(text)))).size).toBe(16)
  })

  it.each([
    ['nothing', ''],
    ['a character too few', 'A'.repeat(42)],
    ['a character too many', 'A'.repeat(44)],
    ['padding', `${'A'.repeat(43)}=`],
    ['the other base64 alphabet', `+/${'A'.repeat(41)}`],
    ['spaces around it', ` ${'A'.repeat(43)}`],
    ['a line feed at the end', `${'A'.repeat(43)}\n`],
    ['hex', '0'.repeat(64)],
  ])('refuses %s as a key', (_, text) => {
    expect(parseKey(text)).toBeUndefined()
  })
})
