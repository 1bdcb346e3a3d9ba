import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hmacSha256, sha256 } from '../../server/digest.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })

it("digests are OpenSSL's, for keys of every length", () => {
  fc.assert(
    fc.property(text, text, (key, said) => {
      expect(hmacSha256(key, said)).toEqual(createHmac('sha256', key).update(said).digest())
      expect(sha256(said)).toEqual(createHash('sha256').update(said).digest())
    }),
  )
})
