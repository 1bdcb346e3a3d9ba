import { describe, expect, it } from 'vitest'
import {
  CHECKSUM_FIELDS,
  canonicalString,
  type SignedFields,
} from '../../../server/payments/canonical-string.ts'
import { sign } from '../../../server/payments/checksum.ts'
import { explainChecksum } from '../../../server/payments/checksum-hints.ts'

const SECRET = 'sbs_secret'

const fields: SignedFields = {
  terminalID: 'T 1',
  bankCode: 'MB',
  billNumber: 'A~B*C',
  transactionAmount: '250000',
  notice: 'Trà sữa & bánh',
  payDate: '2026-11-20T17:15:30+07:00',
  traceTransfer: '',
  ftCode: 'FT1',
}

const pairs = CHECKSUM_FIELDS.map((name): [string, string] => [name, fields[name]])
const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))
const form = (some: [string, string][]) => new URLSearchParams(some).toString()
/** As Python's quote_plus and Go's QueryEscape write it; spelled out, so that it owes nothing to the hub. */
const plus = (text: string) =>
  encodeURIComponent(text)
    .replace(/%20/g, '+')
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
const joined = (some: [string, string][], encode: (text: string) => string) =>
  some.map(([name, text]) => `${name}=${encode(text)}`).join('&')

const explain = (signed: string, secrets = [SECRET]) =>
  explainChecksum(fields, sign(SECRET, signed).toString('hex'), secrets)

describe('a wrong checksum', () => {
  it.each([
    { mistake: 'spaces as %20', signed: joined(pairs, encodeURIComponent), says: '%20 (RFC 3986)' },
    {
      mistake: "%20 as PHP's rawurlencode writes it",
      signed: joined(pairs, (text) => plus(text).replaceAll('+', '%20')),
      says: '%20 (RFC 3986)',
    },
    {
      mistake: 'a form with %20',
      signed: form(pairs).replaceAll('+', '%20'),
      says: '%20 (RFC 3986)',
    },
    { mistake: 'sorted fields', signed: form(sorted), says: 'sorted by name' },
    { mistake: 'no encoding', signed: joined(pairs, (text) => text), says: 'without encoding' },
    { mistake: 'checkSum included', signed: `${form(pairs)}&checkSum=`, says: 'checkSum included' },
    {
      mistake: 'empty fields left out',
      signed: form(pairs.filter(([, text]) => text !== '')),
      says: 'empty fields left out',
    },
    {
      mistake: "Python's or Go's ~ and *",
      signed: joined(pairs, plus),
      says: "Python's, Go's or PHP's encoding",
    },
    { mistake: "Go's Values.Encode", signed: joined(sorted, plus), says: 'Values.Encode' },
  ])('made with $mistake is explained', ({ signed, says }) => {
    expect(explain(signed)).toContain(says)
  })

  it('is explained under the older of two secrets too', () => {
    expect(explain(form(sorted), ['newer', SECRET])).toContain('sorted by name')
  })

  it.each([
    { why: 'a mistake that nobody knows', signed: 'terminalID=T' },
    { why: 'the right recipe with other content', signed: canonicalString({ ...fields, ftCode: 'FT2' }) },
    { why: 'the right recipe: there is nothing to explain', signed: canonicalString(fields) },
  ])('is not explained away: $why', ({ signed }) => {
    expect(explain(signed)).toBeUndefined()
  })

  it('of the right string under the client id is explained', () => {
    const received = sign('sbc_1', canonicalString(fields)).toString('hex')
    expect(explainChecksum(fields, received, [SECRET], 'sbc_1')).toContain('the client id as the key')
    expect(explainChecksum(fields, received, [SECRET], 'sbc_2')).toBeUndefined()
  })

  it('tells nothing to who does not have the secret', () => {
    expect(explain(form(sorted), ['another secret'])).toBeUndefined()
  })

  it.each(['', 'abc', 'z'.repeat(64)])('that is no digest is called so: %j', (received) => {
    expect(explainChecksum(fields, received, [SECRET])).toContain('is not 32 bytes')
  })
})
