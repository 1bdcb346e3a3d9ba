import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DEVICE_KEY_BYTES,
  deriveKeys,
  loginHash,
  maskKey,
  parseKey,
  passwordOf,
  proofOf,
} from '../../protocol/keys.ts'
import { frameVectors } from './vectors.ts'

const deviceKey = fc
  .uint8Array({ minLength: DEVICE_KEY_BYTES, maxLength: DEVICE_KEY_BYTES })
  .map((bytes) => Buffer.from(bytes))

describe('keys', () => {
  it.each(frameVectors.keys)(
    'sb/1 2.2, sb/1 2.3: derives the three keys of $serial as other implementations do',
    (vector) => {
      const key = parseKey(vector.key)
      expect(key?.toString('hex')).toBe(vector.keyHex)
      const keys = deriveKeys(Buffer.from(vector.keyHex, 'hex'))
      expect(keys.login.toString('hex')).toBe(vector.loginHex)
      expect(keys.down.toString('hex')).toBe(vector.downHex)
      expect(keys.up.toString('hex')).toBe(vector.upHex)
      expect(passwordOf(keys)).toBe(vector.password)
    },
  )

  it.each(frameVectors.keys)('sb/1 2.5: proves possession of the key of $serial', (vector) => {
    expect(proofOf(vector.serial, Buffer.from(vector.keyHex, 'hex'))).toBe(vector.proof)
  })

  it.each(frameVectors.rekeys)('sb/1 2.6: masks the next key of $serial under $id', (vector) => {
    const [key, next, masked] = [vector.key, vector.next, vector.masked].map((text) => parseKey(text))
    if (!key || !next || !masked) throw new Error('the vector has keys')
    expect(maskKey(key, vector.id, next)).toEqual(masked)
    expect(maskKey(key, vector.id, masked)).toEqual(next)
    expect(maskKey(key, vector.id, Buffer.alloc(32)).toString('hex')).toBe(vector.padHex)
  })

  it('hashes the login key, which the password decodes to', () => {
    fc.assert(
      fc.property(deviceKey, (key) => {
        const keys = deriveKeys(key)
        expect(loginHash(Buffer.from(passwordOf(keys), 'base64url'))).toEqual(loginHash(keys.login))
      }),
    )
  })

  it('parses every key from its text', () => {
    fc.assert(
      fc.property(deviceKey, (key) => {
        expect(parseKey(key.toString('base64url'))).toEqual(key)
      }),
    )
  })

  it('accepts only one spelling of a key', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = [...alphabet].map((last) => `${'A'.repeat(42)}${last}`)
    const accepted = spellings.filter((text) => parseKey(text) !== undefined)
    // The last of 43 characters has four bits of the key, so 16 of its 64 values are canonical.
    expect(accepted).toHaveLength(16)
    expect(new Set(accepted.map((text) => parseKey(text)?.toString('hex'))).size).toBe(16)
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
