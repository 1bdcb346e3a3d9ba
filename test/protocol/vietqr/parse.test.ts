import fc from 'fast-check'
import { QRPay } from 'vietnam-qr-pay'
import { describe, expect, it } from 'vitest'
import { buildVietQr } from '../../../protocol/vietqr/build.ts'
import { parseVietQr } from '../../../protocol/vietqr/parse.ts'
import { MAX_PAYLOAD_LENGTH } from '../../../protocol/vietqr/size.ts'
import { writeField } from '../../../protocol/vietqr/tlv.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { vietQrVectors } from '../vectors.ts'
import { parts, STATIC_QR, unwrap, withCrc } from './samples.ts'

const BENEFICIARY = '38570010A00000072701270006970403011300110123456780208QRIBFTTA'
const GUID = field('00', 'A000000727')
const BANK = field('00', '970403')
const payee = (organisation: string) => field('38', GUID + field('01', organisation))

/** A code with other fields in place of the beneficiary, or after the country. */
const codeWith = ({ beneficiary = BENEFICIARY, last = '' }) =>
  withCrc(`000201010211${beneficiary}53037045802VN${last}`)

describe('a code of another issuer', () => {
  it.each(vietQrVectors.valid)('is parsed: $from', ({ from: _, payload, ...expected }) => {
    const { initiation, bin, account, amount, bill } = unwrap(parseVietQr(payload))
    const fields = { initiation, bin, account, amount, bill }
    expect(fields).toEqual({ amount: undefined, bill: undefined, ...expected })
  })

  it.each(vietQrVectors.valid)('is parsed alike by an independent parser: $from', ({ payload }) => {
    expectAgreement(payload)
  })

  it.each(vietQrVectors.invalid)('is refused: $why', ({ payload }) => {
    expect(parseVietQr(payload).ok).toBe(false)
  })

  it.each([
    ['VNPAY in field 26', field('26', field('00', 'A000000775') + field('01', 'SHOP1'))],
    ['another country in field 38', field('38', field('00', 'A000000615') + field('05', 'anything'))],
    ['a card scheme, no template', field('02', '4000123456789012')],
  ])('of another scheme has no bank and account: %s', (_, beneficiary) => {
    const payload = codeWith({ beneficiary, last: '540510.505904Shop6005Hanoi' })
    const value = unwrap(parseVietQr(payload))
    expect(value).toMatchObject({ initiation: '11', amount: '10.5', currency: '704', country: 'VN' })
    expect([value.bin, value.account, value.service]).toEqual([undefined, undefined, undefined])
  })
})

describe('a code', () => {
  it('has the values from which it was built', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { service = 'QRIBFTTA', ...rest } = given
        const payload = unwrap(buildVietQr(given))
        expect(unwrap(parseVietQr(payload))).toMatchObject({
          ...rest,
          service,
          initiation: given.amount === undefined && given.bill === undefined ? '11' : '12',
          currency: '704',
          country: 'VN',
        })
        expectAgreement(payload)
      }),
    )
  })

  it('keeps all its fields in their order', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const payload = unwrap(buildVietQr(given))
        const { fields, additional } = unwrap(parseVietQr(payload))
        expect(fields.map(writeField).join('')).toBe(payload)
        const template = fields.find(({ id }) => id === '62')?.value
        expect(additional.map(writeField).join('')).toBe(template ?? '')
        for (const { id, offset } of [...fields, ...additional])
          expect(payload.slice(offset).startsWith(id)).toBe(true)
      }),
    )
  })

  it('may omit the initiation method', () => {
    const payload = withCrc(`000201${BENEFICIARY}53037045802VN`)
    expect(parseVietQr(payload)).toMatchObject({ ok: true, value: { initiation: undefined, bin: '970403' } })
  })

  it('may have non-ASCII text, whose length counts characters', () => {
    const payload = codeWith({ last: '5906Trà 🧋!62110807trà đá!' })
    expect(parseVietQr(payload)).toMatchObject({ ok: true, value: { purpose: 'trà đá!' } })
  })

  it('may have a bill and a purpose with more than 25 characters', () => {
    const purpose = 'p'.repeat(50)
    expect(parseVietQr(codeWith({ last: `62540850${purpose}` }))).toMatchObject({
      ok: true,
      value: { purpose },
    })
  })

  it.each([
    ['180000', '180000'],
    ['180000.00', '180000'],
    ['180000.', '180000'],
    ['0180000', '180000'],
    ['98.730', '98.73'],
    ['0.50', '0.5'],
    ['9999999999999', '9999999999999'],
  ])('normalizes the amount %s', (written, amount) => {
    const last = writeField({ id: '54', value: written })
    expect(parseVietQr(codeWith({ last }))).toMatchObject({ ok: true, value: { amount } })
  })

  it.each(['0', '0.00', '-1', '+1', '1,000', '1.2.3', '.5', '1e3', ' 1', '12345678901234'])(
    'cannot have the amount %j',
    (value) => {
      const payload = codeWith({ last: writeField({ id: '54', value }) })
      expect(parseVietQr(payload)).toMatchObject({ ok: false, error: { kind: 'bad_value' } })
    },
  )

  it.each([
    ['of nothing', '', 'missing', 0],
    ['that is no code', 'hello', 'bad_id', 0],
    ['that is a link', 'https://example.com/pay', 'bad_id', 0],
    ['without 00', withCrc('0102115303704'), 'missing', 21],
    ['with 00 behind 01', withCrc('01021100020153037045802VN'), 'misplaced', 6],
    ['without 63', '000201', 'missing', 6],
    ['with a field behind 63', `${withCrc('000201')}0101x`, 'misplaced', 6],
    ['of another format', withCrc('00020253037045802VN'), 'bad_value', 4],
    ['with an unknown initiation', withCrc('00020101021353037045802VN'), 'bad_value', 10],
    ['without a currency', withCrc('0002015802VN'), 'missing', 20],
    ['with a currency in letters', withCrc('0002015303VND5802VN'), 'bad_value', 10],
    ['without a country', withCrc('0002015303704'), 'missing', 21],
    ['with a country in small letters', withCrc('00020153037045802vn'), 'bad_value', 17],
    ['with a CRC that is not hex', '0002016304GGGG', 'bad_value', 10],
    ['with a wrong CRC', '00020163040000', 'bad_crc', 10],
    ['with a control character', withCrc('0002015901\n'), 'bad_character', 10],
    ['with half a surrogate pair', '0002015901\ud83e', 'bad_character', 10],
    ['with a field twice', withCrc('00020153037045802VN5303704'), 'duplicate', 19],
    ['too long', `000201${'5999'.repeat(300)}`, 'too_long', MAX_PAYLOAD_LENGTH],
  ])('is refused %s', (_, payload, kind, offset) => {
    expect(parseVietQr(payload)).toMatchObject({ ok: false, error: { kind, offset } })
  })

  it.each([
    ['38 that is no template', field('38', 'abcd'), 'bad_id', 16],
    ['38 without an identifier', field('38', field('01', 'abcd')), 'missing', 24],
    ['38 with a field twice', field('38', GUID + GUID), 'duplicate', 30],
    ['38 without an organisation', field('38', GUID), 'missing', 30],
    ['an organisation that is no template', payee('x'), 'truncated', 34],
    ['an organisation without a bank', payee(field('01', '123')), 'missing', 41],
    ['an organisation without an account', payee(BANK), 'missing', 44],
    ['an organisation with two banks', payee(BANK + BANK), 'duplicate', 44],
    ['a bank of five digits', payee(field('00', '97040') + field('01', '123')), 'bad_value', 38],
    ['a bank in letters', payee(field('00', 'VIETCB') + field('01', '123')), 'bad_value', 38],
    ['an account of twenty characters', payee(BANK + field('01', '1'.repeat(20))), 'bad_value', 48],
    ['a space in the account', payee(BANK + field('01', '123 456')), 'bad_value', 48],
    ['an account longer than it says', payee(`${BANK}01031234`), 'truncated', 51],
  ])('is refused with %s', (_, beneficiary, kind, offset) => {
    const payload = codeWith({ beneficiary })
    expect(parseVietQr(payload)).toMatchObject({ ok: false, error: { kind, offset } })
  })
})

describe('parseVietQr', () => {
  const mutated = fc
    .tuple(
      fc.constantFrom(STATIC_QR, ...vietQrVectors.valid.map(({ payload }) => payload)),
      fc.nat(),
      fc.nat(3),
      fc.string(),
    )
    .map(([payload, at, removed, inserted]) => {
      const start = at % payload.length
      return payload.slice(0, start) + inserted + payload.slice(start + removed)
    })
  const fieldSoup = fc.array(
    fc.oneof(
      fc.constantFrom('00', '01', '38', '62', '63', '10', '04', '0010A000000727'),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 300 },
  )

  it.each([
    ['arbitrary text', fc.string({ unit: anyCharacter, maxLength: 2000 })],
    ['codes with a part changed', mutated],
    ['codes with a part changed, under a right CRC', mutated.map((payload) => withCrc(payload.slice(0, -8)))],
    ['pieces of codes', fieldSoup.map((pieces) => `000201${pieces.join('')}`)],
    ['pieces of codes under a right CRC', fieldSoup.map((pieces) => withCrc(`000201${pieces.join('')}`))],
  ])('never throws, and points into the payload: %s', (_, payloads) => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const result = parseVietQr(payload)
        if (result.ok) return result.value.fields.map(writeField).join('') === payload
        return result.error.offset >= 0 && result.error.offset <= payload.length
      }),
      { numRuns: 500 },
    )
  })

  it('detects every changed digit', () => {
    for (let at = 0; at < STATIC_QR.length; at++) {
      const digit = STATIC_QR.charAt(at) === '7' ? '3' : '7'
      const payload = STATIC_QR.slice(0, at) + digit + STATIC_QR.slice(at + 1)
      expect(parseVietQr(payload).ok).toBe(false)
    }
  })

  it('parses only the templates that it knows', () => {
    let nested = 'x'
    while (nested.length < 90) nested = field('01', nested)
    expect(parseVietQr(codeWith({ last: field('62', nested) }))).toMatchObject({ ok: true })
    expect(parseVietQr(codeWith({ last: field('80', nested) }))).toMatchObject({ ok: true })
    expect(parseVietQr(withCrc(field('01', 'x').repeat(200)))).toMatchObject({ ok: false })
  })

  it('accepts a code of the maximum size', () => {
    const filler = ['80', '81', '82', '83', '84', '85', '86', '87', '88', '89'].map((id) =>
      field(id, '🧋'.repeat(88)),
    )
    const rest = MAX_PAYLOAD_LENGTH - [...codeWith({ last: filler.join('') })].length
    const largest = codeWith({ last: filler.join('') + field('90', 'x'.repeat(rest - 4)) })
    expect([...largest]).toHaveLength(MAX_PAYLOAD_LENGTH)
    expect(parseVietQr(largest)).toMatchObject({ ok: true })
    const larger = codeWith({ last: filler.join('') + field('90', 'x'.repeat(rest - 3)) })
    expect(parseVietQr(larger)).toMatchObject({ ok: false, error: { kind: 'too_long' } })
  })
})

function field(id: string, value: string): string {
  return writeField({ id, value })
}

/** The independent parser accepts more codes. For codes that ours accepts, both must agree. */
function expectAgreement(payload: string): void {
  const ours = unwrap(parseVietQr(payload))
  const theirs = new QRPay(payload)
  expect({
    valid: theirs.isValid,
    initiation: theirs.initMethod,
    bin: theirs.consumer.bankBin,
    account: theirs.consumer.bankNumber,
    service: theirs.provider.service,
    currency: theirs.currency,
    amount: theirs.amount,
    country: theirs.nation,
    bill: theirs.additionalData.billNumber,
    purpose: theirs.additionalData.purpose,
  }).toEqual({
    valid: true,
    initiation: ours.initiation,
    bin: ours.bin,
    account: ours.account,
    service: ours.service,
    currency: ours.currency,
    amount: ours.amount,
    country: ours.country,
    bill: ours.bill,
    purpose: ours.purpose,
  })
}
