import fc from 'fast-check'
import { QRPay, VietQRService } from 'vietnam-qr-pay'
import { describe, expect, it } from 'vitest'
import { buildDynamicQr, buildVietQr } from '../../../protocol/vietqr/build.ts'
import { parseVietQr } from '../../../protocol/vietqr/parse.ts'
import { writeField } from '../../../protocol/vietqr/tlv.ts'
import { vietQrVectors } from '../vectors.ts'
import { parts, STATIC_QR, unwrap, withCrc } from './samples.ts'

const BILL = { amount: '180000', bill: 'BILL-1' }

const amount = fc.stringMatching(/^[1-9][0-9]{0,12}$/)
const bill = fc.stringMatching(/^[\x20-\x7e]{1,25}$/)

describe('buildDynamicQr', () => {
  it('writes the example code of the specification', () => {
    const [{ payload } = { payload: '' }] = vietQrVectors.valid
    const { fields: _, additional: __, ...printed } = unwrap(parseVietQr(payload))
    const { bin = '', account = '', purpose } = printed
    const fixed = unwrap(buildVietQr({ bin, account, purpose }))
    expect(buildDynamicQr(fixed, { amount: '180000', bill: 'NPS6869' })).toEqual({ ok: true, value: payload })
  })

  it.each(vietQrVectors.valid)(
    'keeps the beneficiary, and sets the other fields: $from',
    ({ payload, bin, account }) => {
      const built = unwrap(parseVietQr(unwrap(buildDynamicQr(payload, BILL))))
      const before = unwrap(parseVietQr(payload))
      expect(built).toMatchObject({ ...BILL, initiation: '12', bin, account, service: before.service })
      expect(built.purpose).toBe(before.purpose)
    },
  )

  it('sets 01, 54 and 62-01, and leaves all other fields unchanged', () => {
    fc.assert(
      fc.property(parts, amount, bill, (given, amount, bill) => {
        const before = unwrap(parseVietQr(unwrap(buildVietQr(given))))
        const payload = unwrap(buildDynamicQr(unwrap(buildVietQr(given)), { amount, bill }))
        const after = unwrap(parseVietQr(payload))
        expect(after).toMatchObject({ amount, bill, initiation: '12', purpose: before.purpose })
        const others = (fields: typeof before.fields, but: string[]) =>
          fields.filter(({ id }) => !but.includes(id)).map(writeField)
        const changed = ['01', '54', '62', '63']
        expect(others(after.fields, changed)).toEqual(others(before.fields, changed))
        expect(others(after.additional, ['01'])).toEqual(others(before.additional, ['01']))
        expect(new QRPay(payload).isValid).toBe(true)
      }),
    )
  })

  it('is idempotent', () => {
    const once = unwrap(buildDynamicQr(STATIC_QR, BILL))
    expect(buildDynamicQr(once, BILL)).toEqual({ ok: true, value: once })
  })

  it('inserts new fields after those with smaller ids, and the CRC last', () => {
    const unordered = withCrc('00020162110807tien le38140010A00000000153037045802VN8002ab')
    const dynamic =
      '000201' +
      '010212' +
      '62210106BILL-10807tien le' +
      '38140010A000000001' +
      '5303704' +
      '5406180000' +
      '5802VN8002ab'
    const expected = withCrc(dynamic)
    expect(buildDynamicQr(unordered, BILL)).toEqual({ ok: true, value: expected })
  })

  it('keeps unknown fields and unknown subfields of 62', () => {
    const known = STATIC_QR.slice(0, -8)
    const payload = withCrc(`${known}5904Shop62220503***0704T-01500399x8005later`)
    const built = unwrap(buildDynamicQr(payload, BILL))
    expect(built).toContain('5904Shop')
    expect(built).toContain('62320106BILL-10503***0704T-01500399x')
    expect(built).toContain('8005later')
  })

  it('writes an upper-case CRC for a code with a lower-case one', () => {
    const lower = STATIC_QR.slice(0, -4) + STATIC_QR.slice(-4).toLowerCase()
    expect(buildDynamicQr(lower, BILL)).toEqual(buildDynamicQr(STATIC_QR, BILL))
    expect(unwrap(buildDynamicQr(lower, BILL))).toMatch(/6304[0-9A-F]{4}$/)
  })

  it.each([
    ['no amount', { amount: '' }, 'bad_amount'],
    ['an amount of 0', { amount: '0' }, 'bad_amount'],
    ['an amount led by 0', { amount: '0180000' }, 'bad_amount'],
    ['a negative amount', { amount: '-1' }, 'bad_amount'],
    ['an amount with a fraction', { amount: '1.5' }, 'bad_amount'],
    ['an amount of 14 digits', { amount: '1'.repeat(14) }, 'bad_amount'],
    ['no bill', { bill: '' }, 'bad_bill'],
    ['a bill of 26 characters', { bill: 'B'.repeat(26) }, 'bad_bill'],
    ['a bill with a line feed', { bill: 'B\n' }, 'bad_bill'],
    ['a bill outside ASCII', { bill: 'hóa đơn' }, 'bad_bill'],
  ])('refuses %s', (_, change, kind) => {
    expect(buildDynamicQr(STATIC_QR, { ...BILL, ...change })).toMatchObject({
      ok: false,
      error: { kind, offset: 0 },
    })
  })

  it.each([
    ['a code that cannot be read', 'hello', 'bad_id', 0],
    ['a code with a wrong CRC', `${STATIC_QR.slice(0, -4)}0000`, 'bad_crc', STATIC_QR.length - 4],
    ['a code in dollars', withCrc('00020153038405802US'), 'bad_value', 10],
    [
      'a code whose 62 has no room for the bill',
      withCrc(`00020153037045802VN62900886${'p'.repeat(86)}`),
      'too_long',
      19,
    ],
  ])('refuses %s', (_, payload, kind, offset) => {
    expect(buildDynamicQr(payload, BILL)).toMatchObject({ ok: false, error: { kind, offset } })
  })

  it('refuses a code that would exceed the maximum size', () => {
    const filler = Array.from({ length: 9 }, (_, index) => `${80 + index}99${'x'.repeat(99)}`).join('')
    const payload = withCrc(STATIC_QR.slice(0, -8) + filler)
    expect(parseVietQr(payload).ok).toBe(true)
    expect(buildDynamicQr(payload, BILL)).toMatchObject({ ok: false, error: { kind: 'too_long' } })
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constant(STATIC_QR)),
        fc.string(),
        fc.string(),
        (payload, amount, bill) => {
          buildDynamicQr(payload, { amount, bill })
        },
      ),
    )
  })
})

describe('buildVietQr', () => {
  it.each(vietQrVectors.valid.filter(({ payload }) => !payload.includes('62110807')))(
    'writes the same code again: $from',
    ({ payload }) => {
      const { bin = '', account = '', service, amount, bill, purpose } = unwrap(parseVietQr(payload))
      const rebuilt = unwrap(buildVietQr({ bin, account, service, amount, bill, purpose }))
      expect(rebuilt).toBe(payload.slice(0, -4) + payload.slice(-4).toUpperCase())
    },
  )

  it('agrees with an independent builder', () => {
    const alike = parts.filter(({ amount, bill }) => amount !== undefined || bill === undefined)
    fc.assert(
      fc.property(alike, ({ bin, account, amount, bill, purpose }) => {
        const theirs = QRPay.initVietQR({ bankBin: bin, bankNumber: account })
        theirs.provider.service = VietQRService.BY_ACCOUNT_NUMBER
        theirs.initMethod = amount === undefined ? '11' : '12'
        if (amount !== undefined) theirs.amount = amount
        if (bill !== undefined) theirs.additionalData.billNumber = bill
        if (purpose !== undefined) theirs.additionalData.purpose = purpose
        expect(unwrap(buildVietQr({ bin, account, amount, bill, purpose }))).toBe(theirs.build())
      }),
    )
  })

  it.each([
    [{ bin: '97040' }, 'bad_bin'],
    [{ bin: '97040x' }, 'bad_bin'],
    [{ account: '' }, 'bad_account'],
    [{ account: '1'.repeat(20) }, 'bad_account'],
    [{ account: '1 2' }, 'bad_account'],
    [{ service: '' }, 'bad_service'],
    [{ service: 'qribftta' }, 'bad_service'],
    [{ amount: '0' }, 'bad_amount'],
    [{ bill: 'B'.repeat(26) }, 'bad_bill'],
    [{ purpose: 'p'.repeat(26) }, 'bad_purpose'],
    [{ purpose: '' }, 'bad_purpose'],
  ])('refuses %j', (change, kind) => {
    const result = buildVietQr({ bin: '970403', account: '0011012345678', ...change })
    expect(result).toMatchObject({ ok: false, error: { kind, offset: 0 } })
  })
})
