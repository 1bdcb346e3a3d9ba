import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyGuesses } from '../../../protocol/conformance/likely/keys.ts'
import { MacDetective } from '../../../protocol/conformance/likely/mac/mac.ts'
import { explainNumber } from '../../../protocol/conformance/likely/number.ts'
import { explainText } from '../../../protocol/conformance/likely/text.ts'
import { explainTime } from '../../../protocol/conformance/likely/time.ts'
import { explainTopic } from '../../../protocol/conformance/likely/topic.ts'
import { foreignProtocol } from '../../../protocol/conformance/wire/foreign.ts'
import { upTopic } from '../../../protocol/topics.ts'
import { MISTAKES } from './mistakes/all.ts'
import { KEY, KEYS, SERIAL } from './support/device-under-test.ts'

const IDENTITY = { serial: SERIAL, key: KEY, keys: KEYS }
const NOW = 1_763_678_400

/** The tests in likely.test.ts run the speakers that make these mistakes. Here are the guesses themselves. */
describe('a guess', () => {
  it('is proven by a speaker that makes the mistake: there are far more than a hundred', () => {
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(MISTAKES.length)
    expect(MISTAKES.length).toBeGreaterThan(130)
  })

  it('is silent about what is right', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.string(), (number, text) => {
        expect(explainNumber(number, number)).toBeUndefined()
        expect(explainText(text, text)).toBeUndefined()
      }),
    )
    expect(explainTime(NOW - 60, NOW)).toBeUndefined()
    expect(explainTime(0, NOW)).toBeUndefined()
    expect(explainTopic(SERIAL, upTopic(SERIAL, 'ack'))).toBeUndefined()
    expect(foreignProtocol(Buffer.from('101000044d5154540400', 'hex'))).toBeUndefined()
  })

  it('has its own keys: no two mistakes in the derivation give the same password', () => {
    const own = keyGuesses({ ...IDENTITY, key: Buffer.from('f-_0'.repeat(11).slice(0, 43), 'base64url') })
    const passwords = own.map(({ keys }) => Buffer.from(keys.login).toString('hex'))
    // K without a zero byte does not end at one.
    expect(passwords.length - new Set(passwords).size).toBeLessThanOrEqual(1)
  })
})

describe('a clock', () => {
  it.each([
    [NOW * 1_000, /milliseconds/],
    [NOW * 1e6, /microseconds/],
    [Math.floor(NOW / 1_000), /`now` of the welcome is taken for milliseconds/],
    [NOW + 7 * 3_600, /local time, 7 hours/],
    [NOW - 5.5 * 3_600, /local time, -5\.5 hours/],
    [NOW + 2_208_988_800, /from 1900/],
    [NOW - 946_684_800, /from 2000/],
    [77, /from power on/],
    [NOW + 1_000_000, /^$/],
  ])('%i', (at, says) => {
    expect(explainTime(at, NOW) ?? '').toMatch(says)
  })
})

describe('a number', () => {
  it.each([
    [1, 65_537, /cut to 16 bits/],
    [44, 300, /cut to 8 bits/],
    [3, 2 ** 24 + 3, /cut to 24 bits/],
    [16_777_216, 16_777_217, /float of 32 bits/],
    [16_777_216, 1, /4 bytes are in reverse/],
    [256, 1, /2 bytes are in reverse/],
    [65_536, 1, /3 bytes are in reverse/],
    [-1, 2 ** 32 - 1, /signed/],
    ['7', 7, /a text/],
    [60_000, 60, /milliseconds/],
    [9, 4, /^$/],
    [null, 4, /^$/],
  ])('%j for %i', (came, wanted, says) => {
    expect(explainNumber(came, wanted) ?? '').toMatch(says)
  })
})

describe('a text', () => {
  it.each([
    ['Caf\\u00e9', 'Café', /an escape is not decoded/],
    ['a\\/b', 'a/b', /an escape is not decoded/],
    ['Cafu00e9', 'Café', /the backslash is lost/],
    ['CafÃ©', 'Café', /read as Latin-1/],
    ['Caf?', 'Café', /characters are replaced/],
    ['Ca', 'Café', /cut to 2 characters/],
    ['fé', 'Café', /first characters are lost/],
    ['', 'Café', /it is empty/],
    [5_000, '5000', /it is a number: write it in quotes/],
    ['Tea', 'Café', /^$/],
  ])('%j for %j', (came, wanted, says) => {
    expect(explainText(came, wanted) ?? '').toMatch(says)
  })
})

describe('the search for the mistake in a MAC', () => {
  it('is done a few times in a run, however many MACs are wrong', () => {
    const detective = new MacDetective(IDENTITY)
    const context = { sid: '9f86d081884c7d65', earlierSids: [], kind: 'ack' } as const
    const frame = (n: number) => Buffer.from(`{"t":"ack","n":${n},"mac":"AAAAAAAAAAAAAAAAAAAAAA"}`)
    const searched = Array.from({ length: 200 }, (_, n) => detective.explain(context, frame(n)).says)
    expect(new Set(searched).size).toBe(1)
    expect(detective.searches).toBe(3)
  })
})
