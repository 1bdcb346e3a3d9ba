import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../protocol/hmac.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((some) => Buffer.from(some))

describe('hmacSha256', () => {
  const prefix = fc.string({ unit: 'grapheme-ascii', maxLength: 90 })

  it('agrees with OpenSSL for keys below and above one block of 64 bytes', () => {
    fc.assert(
      fc.property(bytes(150), prefix, bytes(1_000), (key, before, text) => {
        const theirs = createHmac('sha256', key).update(before, 'ascii').update(text).digest()
        expect(Buffer.from(hmacSha256(key, before, text), 'binary')).toEqual(theirs)
      }),
    )
  })

  // RFC 4231, test cases 1 and 2.
  it.each([
    {
      key: '0b'.repeat(20),
      text: 'Hi There',
      mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    },
    {
      key: Buffer.from('Jefe').toString('hex'),
      text: 'what do ya want for nothing?',
      mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
  ])('$text', ({ key, text, mac }) => {
    const ours = hmacSha256(Buffer.from(key, 'hex'), '', Buffer.from(text))
    expect(Buffer.from(ours, 'binary').toString('hex')).toBe(mac)
  })
})
