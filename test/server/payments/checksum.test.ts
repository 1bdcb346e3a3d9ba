import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CHECKSUM_FIELDS,
  canonicalString,
  decodeChecksum,
  type SignedFields,
} from '../../../server/payments/canonical-string.ts'
import { isSigned, sign } from '../../../server/payments/checksum.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { checksumVectors, signedUnderKeys } from '../../support/checksum-vectors.ts'

const { key, vectors } = checksumVectors

/** Every string that JSON can carry: all characters, no lone surrogates. */
const text = fc.string({ unit: anyCharacter, maxLength: 40 })
const anyFields = fc.record<SignedFields>({
  ...{ terminalID: text, bankCode: text, billNumber: text, transactionAmount: text },
  ...{ notice: text, payDate: text, traceTransfer: text, ftCode: text },
})

describe.each(signedUnderKeys)('the vector of bill "$fields.billNumber" under $key', (vector) => {
  const { key: secret, fields, canonical, hex, base64 } = vector

  it('is written as other languages write it', () => {
    expect(canonicalString(fields)).toBe(canonical)
  })

  it('is signed as other languages sign it', () => {
    expect(sign(secret, canonicalString(fields)).toString('hex')).toBe(hex)
    expect(sign(secret, canonicalString(fields)).toString('base64')).toBe(base64)
  })

  it.each([
    { encoding: 'hex', received: hex },
    { encoding: 'upper-case hex', received: hex.toUpperCase() },
    { encoding: 'base64', received: base64 },
    { encoding: 'base64 without padding', received: base64.replace('=', '') },
    { encoding: 'base64url', received: Buffer.from(hex, 'hex').toString('base64url') },
  ])('is accepted in $encoding', ({ received }) => {
    expect(isSigned(fields, () => fields.payDate, received, [secret])).toBe(true)
  })

  it.each(CHECKSUM_FIELDS)('is refused with another %s', (name) => {
    const other = { ...fields, [name]: `${fields[name]} ` }
    expect(isSigned(other, () => other.payDate, hex, [secret])).toBe(false)
  })
})

/** Any UTF-16 units, and often those that encoders differ in. */
const units = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes))

it('the string that is signed is the one that URLSearchParams writes, also of halves of characters', () => {
  fc.assert(
    fc.property(fc.array(units, { minLength: 8, maxLength: 8 }), (values) => {
      const pairs = CHECKSUM_FIELDS.map((name, index): [string, string] => [name, values[index] ?? ''])
      // One value for each name.
      const fields = Object.fromEntries(pairs) as SignedFields
      expect(canonicalString(fields)).toBe(new URLSearchParams(pairs).toString())
    }),
  )
})

describe('a checksum', () => {
  const [vector] = vectors
  if (!vector) throw new Error('there is no vector')
  const { fields, hex } = vector

  it('that is right is accepted for any well-formed strings, in every encoding, under either secret', () => {
    const encoding = fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const)
    fc.assert(
      fc.property(anyFields, encoding, text, text, (fields, encoding, newer, older) => {
        const received = sign(older, canonicalString(fields)).toString(encoding)
        expect(isSigned(fields, () => fields.payDate, received, [newer, older])).toBe(true)
      }),
    )
  })

  it('is right for one set of fields alone', () => {
    fc.assert(
      fc.property(anyFields, anyFields, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other))
        const received = sign(key, canonicalString(one)).toString('hex')
        expect(isSigned(other, () => other.payDate, received, [key])).toBe(false)
      }),
    )
  })

  it('may be made of the date as JSON.stringify writes it', () => {
    const dated = { ...fields, payDate: '2026-11-20T17:15:30+07:00' }
    const iso = '2026-11-20T10:15:30.000Z'
    const received = sign(key, canonicalString({ ...dated, payDate: iso })).toString('hex')
    expect(isSigned(dated, () => iso, received, [key])).toBe(true)
    expect(isSigned(dated, () => '2026-11-20T10:15:31.000Z', received, [key])).toBe(false)
  })

  it('is refused under any other secret, and without one', () => {
    expect(isSigned(fields, () => fields.payDate, hex, [`${key} `])).toBe(false)
    expect(isSigned(fields, () => fields.payDate, hex, [])).toBe(false)
  })

  it.each([
    '',
    'x',
    hex.slice(1),
    `${hex}0`,
    ` ${hex}`,
    `0x${hex}`,
    `${hex}\n`,
    'g'.repeat(64),
    String.fromCharCode(...Array.from(hex, (digit) => digit.charCodeAt(0) + 0x100)),
    '='.repeat(44),
  ])('is none: %j', (received) => {
    expect(decodeChecksum(received)).toBeUndefined()
    expect(isSigned(fields, () => fields.payDate, received, [key])).toBe(false)
  })

  it('of arbitrary text never throws', () => {
    fc.assert(
      fc.property(text, (received) => {
        expect(isSigned(fields, () => fields.payDate, received, [key])).toBe(false)
      }),
    )
  })
})
