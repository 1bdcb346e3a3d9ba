import { createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as browser from '../../protocol/platform/browser.ts'
import * as node from '../../protocol/platform/node.ts'

const PLATFORMS = [
  { name: 'Node.js', ...node },
  { name: 'a browser', ...browser },
]

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const hex = (some: Uint8Array) => Buffer.from(some).toString('hex')

/** Around the borders of SHA-256's blocks of 64 bytes, of which the last one has 9 bytes of its own. */
const LENGTHS = [0, 1, 31, 32, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 191, 192, 1_000]

it('is the same set of functions on both, but for the one that makes a Buffer', () => {
  expect(Object.keys(node).sort()).toEqual([...Object.keys(browser), 'bufferOf'].sort())
})

describe.each(PLATFORMS)('the bytes of the protocol on $name', (platform) => {
  const { hmacSha256, bytesOf, textOf, toBase64url, fromBase64url, isSame } = platform

  // RFC 4231, test cases 1 to 4, 6 and 7.
  it.each([
    [
      '0b'.repeat(20),
      hex(Buffer.from('Hi There')),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      hex(Buffer.from('Jefe')),
      hex(Buffer.from('what do ya want for nothing?')),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      '0102030405060708090a0b0c0d0e0f10111213141516171819',
      'cd'.repeat(50),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
    [
      'aa'.repeat(131),
      hex(Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First')),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      'aa'.repeat(131),
      hex(
        Buffer.from(
          'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
        ),
      ),
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('makes the HMAC of RFC 4231: key %s, data %s', (key, data, mac) => {
    expect(hex(hmacSha256(Buffer.from(key, 'hex'), '', Buffer.from(data, 'hex')))).toBe(mac)
  })

  it.each(LENGTHS)('makes the HMAC of OpenSSL for a key, a prefix and a message of %i bytes', (length) => {
    for (const [key, before, message] of [
      [length, 0, 0],
      [0, length, 0],
      [32, 0, length],
      [length, 40, length],
    ] as const) {
      const some = [Buffer.alloc(key, 0xa5), 'p'.repeat(before), Buffer.alloc(message, 0x5a)] as const
      expect(hex(hmacSha256(...some))).toBe(hex(openssl(...some)))
    }
  })

  it('makes the HMAC of OpenSSL for any bytes, also for a part of a larger buffer', () => {
    const prefix = fc.string({ unit: 'grapheme-ascii', maxLength: 90 })
    fc.assert(
      fc.property(bytes(150), prefix, bytes(1_000), fc.nat(70), (key, before, message, from) => {
        const part = message.subarray(Math.min(from, message.length))
        expect(hex(hmacSha256(key, before, part))).toBe(hex(openssl(key, before, part)))
      }),
    )
  })

  it('writes text in UTF-8 as Buffer does, with U+FFFD for a lone surrogate', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 60 }), (units) => {
        const text = String.fromCharCode(...units)
        expect(hex(bytesOf(text))).toBe(hex(Buffer.from(text)))
      }),
    )
    for (const text of ['Đã nhận', '😀', '\ud83d', '\ude00\ud83d', ''])
      expect(hex(bytesOf(text))).toBe(hex(Buffer.from(text)))
  })

  it('reads UTF-8 as Buffer does, whatever the bytes are', () => {
    fc.assert(
      fc.property(bytes(60), fc.nat(9), (some, from) => {
        const part = some.subarray(Math.min(from, some.length))
        expect(textOf(part)).toBe(Buffer.from(part).toString())
      }),
    )
  })

  it('keeps a byte order mark, so that no frame has two spellings', () => {
    expect(textOf(Buffer.from('\ufeff{}'))).toBe('\ufeff{}')
  })

  it('writes and reads base64url as Buffer does', () => {
    fc.assert(
      fc.property(bytes(100), (some) => {
        const text = toBase64url(some)
        expect(text).toBe(Buffer.from(some).toString('base64url'))
        expect(hex(fromBase64url(text))).toBe(hex(some))
      }),
    )
  })

  it('ignores the unused bits of the last character of base64url', () => {
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      expect(hex(fromBase64url(`A${last}`))).toBe(hex(Buffer.from(`A${last}`, 'base64url')))
  })

  it('compares every bit, and only bytes of the same length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(7), (some, at, bit) => {
        const other = Uint8Array.from(some)
        expect(isSame(some, other)).toBe(true)
        const index = at % some.length
        other[index] = (other[index] ?? 0) ^ (1 << bit)
        expect(isSame(some, other)).toBe(false)
      }),
    )
    expect(() => isSame(new Uint8Array(3), new Uint8Array(4))).toThrow(RangeError)
  })
})

it('expands keys as the HKDF of OpenSSL does', () => {
  // keys.ts builds RFC 5869 from these functions; the vectors hold it on Node.js.
  for (const { hmacSha256 } of PLATFORMS) {
    const extracted = hmacSha256(new Uint8Array(), '', Buffer.alloc(32, 7))
    const expanded = hmacSha256(extracted, 'sb1/up', Uint8Array.of(1))
    const theirs = hkdfSync('sha256', Buffer.alloc(32, 7), new Uint8Array(), 'sb1/up', 32)
    expect(hex(expanded)).toBe(hex(new Uint8Array(theirs)))
  }
})

function openssl(key: Uint8Array, prefix: string, message: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(prefix, 'ascii').update(message).digest()
}
