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

const explain = (signed: string, secrets = [SECRET]) =>
  explainChecksum(fields, sign(SECRET, signed).toString('hex'), secrets)

describe('a wrong checksum', () => {
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
