import { describe, expect, it } from 'vitest'
import { canonicalString } from '../../../server/payments/canonical-string.ts'
import { isSigned, sign } from '../../../server/payments/checksum.ts'
import { explainChecksum } from '../../../server/payments/checksum-hints.ts'
import { parseIso8601 } from '../../../server/platform/time/iso-8601.ts'
import { createTestApi } from '../../support/api.ts'
import { checksumVectors } from '../../support/checksum-vectors.ts'

const { key, unset, accepted, refused, wrongKeys } = checksumVectors
const payDateIso = ({ payDate }: { payDate: string }) => new Date(parseIso8601(payDate) ?? 0).toISOString()

describe('a checkSum of the vectors', () => {
  it.each(accepted)('is accepted: $why', ({ fields, checkSum }) => {
    expect(isSigned(fields, () => payDateIso(fields), checkSum, [key])).toBe(true)
  })

  it.each(refused)('is refused, and explained: $why', ({ fields, checkSum, signed, hint }) => {
    expect(checkSum).toBe(sign(key, signed).toString('hex'))
    expect(isSigned(fields, () => payDateIso(fields), checkSum, [key])).toBe(false)
    expect(explainChecksum(fields, checkSum, [key])).toBe(hint)
  })

  it.each(wrongKeys)('is refused, and explained: $why', ({ fields, checkSum, key: wrong, hint }) => {
    expect(checkSum).toBe(sign(wrong, canonicalString(fields)).toString('hex'))
    expect(isSigned(fields, () => payDateIso(fields), checkSum, [key])).toBe(false)
    expect(explainChecksum(fields, checkSum, ['another secret', key])).toBe(hint)
  })
})

it.each(unset)('a callback with $fields takes null and absent for empty', async ({ fields, canonical }) => {
  const partner = await createTestApi().partner()
  const checkSum = sign(partner.clientSecret, canonical).toString('hex')
  const answer = await partner.call('POST', '/payment/callback', { ...fields, checkSum })
  // The checksum is looked at before the store, of which there is none here.
  expect(answer.body).toMatchObject({ code: 40016 })
})
