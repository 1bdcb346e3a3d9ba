import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readMasterKey } from '../../../server/platform/master-key-text.ts'

const encoded = (bytes: Iterable<number> | string) => Buffer.from(bytes as string).toString('base64')
const random = randomBytes(32)
const canonical = random.toString('base64')

describe('a master key', () => {
  it('is 32 random bytes in base64', () => {
    for (let count = 0; count < 2_000; count += 1) {
      const key = randomBytes(32)
      expect(readMasterKey(key.toString('base64'))).toEqual(key)
    }
  })

  it.each([
    ['nothing', ''],
    ['31 bytes', encoded(random.subarray(1))],
    ['33 bytes', encoded([...random, 1])],
    ['hexadecimal', random.toString('hex')],
    ['base64url', Buffer.alloc(32, 0xfb).toString('base64url')],
    ['no padding', canonical.replace('=', '')],
    ['a space', `${canonical.slice(0, 20)} ${canonical.slice(20)}`],
    ['a letter that is none of base64', `-${canonical}`],
    // The last letter of 32 bytes holds two bits that are zero.
    ['another spelling', canonical.replace(/.=$/, (end) => `${nextLetter(end)}=`)],
  ])('is refused for its form: %s', (_, text) => {
    expect(readMasterKey(text)).toMatch(/^must be 32 bytes in base64/)
  })

  it.each([
    ['zeros', encoded(new Uint8Array(32))],
    ['one byte', encoded(new Uint8Array(32).fill(0xf7))],
    ['a sequence', encoded(Array.from({ length: 32 }, (_, index) => index))],
    [
      'a sequence downwards, past zero',
      encoded(Array.from({ length: 32 }, (_, index) => (300 - 7 * index) & 0xff)),
    ],
    [
      'eight random bytes, four times',
      encoded(Array.from({ length: 32 }, (_, index) => random[index % 8] ?? 0)),
    ],
    ['sixteen random bytes, twice', encoded([...random.subarray(16), ...random.subarray(16)])],
    ['a text', encoded('correct horse battery staple 123')],
    ['hexadecimal letters', encoded(randomBytes(16).toString('hex'))],
  ])('is refused for its pattern: %s', (_, text) => {
    expect(readMasterKey(text)).toMatch(/^must be 32 random bytes, and these are a pattern or a text/)
  })

  it('is never in the sentence that refuses it', () => {
    expect(readMasterKey(encoded('correct horse battery staple 123'))).not.toMatch(/Y29y|correct/)
  })
})

/** The letter after the last one before the padding: it has the same upper four bits. */
function nextLetter(end: string): string {
  return String.fromCharCode(end.charCodeAt(0) + 1)
}
