import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { macUnder, sha256 } from '../../../server/security/digest.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })

it("digests are OpenSSL's, for keys of every length, and however often a key is used", () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 3 }), (key, texts) => {
      const mac = macUnder(key)
      const ofOpenSsl = texts.map((said) => createHmac('sha256', key).update(said).digest())
      expect(texts.map(mac)).toEqual(ofOpenSsl)
      expect(sha256(key)).toEqual(createHash('sha256').update(key).digest())
    }),
  )
})
