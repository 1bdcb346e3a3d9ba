import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hmac, sha256 } from '../../../server/security/digest.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })

it('sha256 and hmac agree with OpenSSL for keys and texts of every length', () => {
  fc.assert(
    fc.property(text, text, (key, message) => {
      expect(hmac(key, message)).toEqual(createHmac('sha256', key).update(message).digest())
      expect(sha256(message)).toEqual(createHash('sha256').update(message).digest())
    }),
  )
})
