import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalString, type SignedFields } from '../../../server/payments/canonical-string.ts'
import * as hub from '../../../server/payments/checksum.ts'
import { readCallback } from '../../../server/payments/pasted-callback.ts'
import { checkChecksum, checkString } from '../../../server/site/browser/check.ts'
import { firstDifference } from '../../../server/site/browser/compare.ts'
import { sign, toBase64, toHex } from '../../../server/site/browser/shared/digest.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { checksumVectors, signedUnderKeys } from '../../support/checksum-vectors.ts'

const { key, accepted, refused, wrongKeys } = checksumVectors

const fields: SignedFields = {
  terminalID: 'T1',
  bankCode: 'MB',
  billNumber: '',
  transactionAmount: '50000',
  notice: 'Trà sữa * 2',
  payDate: '2026-11-20T17:15:30+07:00',
  traceTransfer: '1',
  ftCode: 'FT1',
}
const right = canonicalString(fields)

describe('the HMAC of the page', () => {
  it.each(signedUnderKeys)(
    'of $canonical under $key is that of every language',
    ({ key: secret, canonical, hex, base64 }) => {
      expect(toHex(sign(secret, canonical))).toBe(hex)
      expect(toBase64(sign(secret, canonical))).toBe(base64)
    },
  )

  it("is the hub's, for any key and text", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 })
    fc.assert(
      fc.property(text, text, (secret, signed) => {
        expect(toHex(sign(secret, signed))).toBe(hub.sign(secret, signed).toString('hex'))
      }),
    )
  })
})

describe('the first difference', () => {
  it('is none between equal strings', () => {
    expect(firstDifference(fields, right)).toBeUndefined()
  })

  it.each([
    {
      what: 'a space as %20',
      theirs: right.replaceAll('+', '%20'),
      field: 'notice',
      marks: ['+', '%20'],
    },
    { what: 'the letters of an escape', theirs: right.toLowerCase(), field: 'terminalID', marks: ['I', 'i'] },
    {
      what: 'a lower-case escape',
      theirs: right.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      field: 'notice',
      marks: ['%C3', '%c3'],
    },
    { what: 'no encoding', theirs: right.replace('Tr%C3%A0', 'Trà'), field: 'notice', marks: ['%C3', 'à'] },
    { what: 'an end that is missing', theirs: right.slice(0, -1), field: 'ftCode', marks: ['1', ''] },
    { what: 'something behind the end', theirs: `${right}&x`, field: 'ftCode', marks: ['', '&'] },
    {
      what: 'a pair left out',
      theirs: right.replace('&billNumber=', ''),
      field: 'billNumber',
      marks: ['b', 't'],
    },
    { what: 'nothing at all', theirs: '', field: 'terminalID', marks: ['t', ''] },
    { what: 'an emoji', theirs: `😀${right}`, field: 'terminalID', marks: ['t', '😀'] },
  ])('is found and marked whole: $what', ({ theirs, field, marks }) => {
    const found = firstDifference(fields, theirs)
    expect(found?.field).toBe(field)
    expect([found?.right.different, found?.theirs.different]).toEqual(marks)
    for (const [text, cut] of [
      [right, found?.right],
      [theirs, found?.theirs],
    ] as const)
      expect(`${cut?.before}${cut?.different}${cut?.after}`).toBe(text)
  })

  it('is where the characters begin to differ, for any two strings', () => {
    fc.assert(
      fc.property(fc.string(), (theirs) => {
        const found = firstDifference(fields, theirs)
        const at = (found?.position ?? 0) - 1
        expect(theirs.slice(0, at)).toBe(right.slice(0, at))
        expect(theirs[at]).not.toBe(right[at])
      }),
    )
  })
})

describe('the verdict', () => {
  it.each(accepted)('on a checksum that the hub accepts is right: $why', ({ fields, checkSum }) => {
    expect(checkChecksum(fields, key, checkSum, '')).toMatchObject({ grade: 'right' })
  })

  it.each(refused)('on a well-known mistake says what the hub says: $why', (one) => {
    for (const verdict of [
      checkChecksum(one.fields, key, one.checkSum, ''),
      checkString(one.fields, one.signed),
    ]) {
      expect(verdict.grade).toBe('wrong')
      expect(verdict.says).toContain(one.hint)
    }
  })

  it.each(wrongKeys)('on a well-known mistake with the key says what the hub says: $why', (one) => {
    const verdict = checkChecksum(one.fields, key, one.checkSum, '')
    expect(verdict.grade).toBe('wrong')
    expect(verdict.says).toContain(one.hint)
  })

  it('on a string tells white space around it from a mistake in it', () => {
    expect(checkString(fields, right).grade).toBe('right')
    expect(checkString(fields, `${right}\n`).says).toContain('white space')
    expect(checkString(fields, right.replace('FT1', 'FT2')).says).toContain('no known mistake')
    expect(
      checkString(fields, right.replace(/payDate=[^&]*/, 'payDate=2026-11-20T10%3A15%3A30.000Z')).grade,
    ).toBe('right')
  })

  it('on a checksum tells whether the string or the key is at fault', () => {
    const unknown = right.replace('FT1', 'FT2')
    const ofUnknown = toHex(sign(key, unknown))
    expect(checkChecksum(fields, key, ofUnknown, unknown).says).toContain('only the string is wrong')
    expect(checkChecksum(fields, key, toHex(sign('other', right)), right).says).toContain('client secret')
    expect(checkChecksum(fields, key, ofUnknown, '').says).toContain('no known mistake')
    expect(checkChecksum(fields, key, 'abc', '').says).toContain('not 32 bytes')
  })

  it('never throws, whatever is typed', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    })
    fc.assert(
      fc.property(text, text, text, (notice, secret, theirs) => {
        const typed = { ...fields, notice, payDate: theirs }
        expect(checkString(typed, theirs).says).not.toBe('')
        expect(checkChecksum(typed, secret, theirs, theirs).says).not.toBe('')
        firstDifference(typed, theirs)
      }),
    )
  })
})

describe('a pasted callback', () => {
  it('fills the fields as the hub reads them: null and absent are empty', () => {
    const pasted = readCallback(
      '{"terminalID":"T 1","notice":null,"payDate":"x\\r\\ny","checkSum":"ab","more":1}',
    )
    expect(pasted).toEqual({
      fields: {
        ...{ terminalID: 'T 1', bankCode: '', billNumber: '', transactionAmount: '' },
        ...{ notice: '', payDate: 'x\r\ny', traceTransfer: '', ftCode: '' },
      },
      checkSum: 'ab',
      remarks: [],
    })
  })

  it('may be what hub pay --json has printed', () => {
    expect(
      readCallback('{"ftCode":"FT1","callback":{"ftCode":"FT1","terminalID":"T1"},"answers":[]}'),
    ).toMatchObject({
      fields: { ftCode: 'FT1', terminalID: 'T1' },
    })
  })

  it('says what the hub would refuse in it', () => {
    expect(readCallback('{"transactionAmount":50000,"notice":["a"]}')).toMatchObject({
      fields: { transactionAmount: '50000' },
      remarks: [expect.stringContaining('transactionAmount'), expect.stringContaining('notice')],
    })
  })

  it.each(['{', '"text"', '[]', 'null', '{}', '{"amount":"1"}', '12'])(
    'that is none gets a sentence: %s',
    (text) => {
      expect(readCallback(text)).toMatch(/^This .+\.$/)
    },
  )
})
