import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { badFields, createTestApi, REGISTRATION, type TestApi, type TestPartner } from '../../support/api.ts'
import { CALLBACK } from '../../support/callback.ts'

/** What each field of the API takes and refuses; every row is asked through an endpoint that has the field. */
const printable = (max: number): { good: unknown[]; bad: unknown[] } => ({
  good: ['x', ' x ', 'Mã số 🍜', '🍜'.repeat(max), 'e\u0301'],
  bad: ['', '🍜'.repeat(max + 1), 'a\u0000b', 'a\tb', 'a\nb', 'a\u007f', 'a\u0085', '\ud800', 'a\udc00b'],
})
const name = {
  good: ['x', '  x  ', 'Quán Cà Phê 🍜', 'x'.repeat(128), ` ${'x'.repeat(128)} `],
  bad: ['', '   ', 'x'.repeat(129), 'a\u0001b', 'a\nb', '\ud83c'],
}

const FIELDS: Record<string, { good: unknown[]; bad: unknown[] }> = {
  deviceSerial: {
    good: ['ABCD', 'a_-9', 'x'.repeat(32)],
    bad: ['abc', 'x'.repeat(33), 'SB 01', 'SB+01', 'SB/01', 'SB#01', 'Sérial', 'ABCD\n'],
  },
  phoneNumber: {
    good: [
      '0312345678',
      '0512345678',
      '0712345678',
      '0812345678',
      '0912345678',
      '+84912345678',
      '84912345678',
      '02838221234',
      '091.234-56 78',
    ],
    bad: [
      '',
      '0112345678',
      '091234567',
      '09123456789',
      '0283822123',
      '+85912345678',
      '+0912345678',
      '0912345678x',
      '٠٩١٢٣٤٥٦٧٨',
      '0912\t345678',
    ],
  },
  identityNumber: {
    good: ['079123', 'B1234-5678', 'x'.repeat(20)],
    bad: ['', '12345', 'x'.repeat(21), '079 123', 'số1234'],
  },
  bankCode: { good: ['MB', '970422', 'x'.repeat(20)], bad: ['M', 'x'.repeat(21), 'M B', 'M-B'] },
  bankAccountNumber: { good: ['1234', 'x'.repeat(34)], bad: ['', '123', 'x'.repeat(35), '12 34', '12-34'] },
  terminalID: printable(64),
  rmCode: printable(64),
  storeName: name,
  bankName: name,
  bankAccountName: name,
  staticQRCode: printable(1024),
  verificationCode: { good: [], bad: ['', '12345', '1234567', '12345a', ' 123456', '١٢٣٤٥٦'] },
}
let api: TestApi
let partner: TestPartner
beforeAll(async () => {
  api = createTestApi({ onEnd: afterAll })
  partner = await api.partner()
})

/** The partner, rested: no request of these changes anything, so one hub serves them all. */
async function anyone(): Promise<TestPartner> {
  await api.clock.wind(20)
  return partner
}

const NOT_TEXT = [5, true, {}, ['x'], null]

const rows = (kind: 'good' | 'bad') =>
  Object.entries(FIELDS).flatMap(([field, values]) =>
    [...values[kind], ...(kind === 'bad' ? NOT_TEXT : [])].map((value): [string, unknown] => [field, value]),
  )

describe('a registration', () => {
  const send = async (changes: object) => {
    const partner = await anyone()
    const body = { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: '123456', ...changes }
    return partner.call('POST', '/device/register', body)
  }

  it.each(rows('good'))('takes %s %j', async (field, value) => {
    // The device is unknown: that is looked at only when every field is valid.
    expect((await send({ [field]: value })).body).toMatchObject({ code: 40013 })
  })

  it.each(rows('bad'))('refuses %s %j by name', async (field, value) => {
    const answer = await send({ [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 40001, error: 'VALIDATION_FAILED' })
    expect(badFields(answer)).toEqual([field])
  })

  it('names everything that is missing at once', async () => {
    const partner = await anyone()
    expect(badFields(await partner.call('POST', '/device/register', {}))).toEqual([
      'bankAccountName',
      'bankAccountNumber',
      'bankCode',
      'deviceSerial',
      'phoneNumber',
      'storeName',
      'terminalID',
      'verificationCode',
    ])
  })

  it('names every field that is wrong at once', async () => {
    const wrong = Object.fromEntries([...Object.keys(FIELDS)].map((field) => [field, 5]))
    expect(badFields(await send(wrong))).toEqual(Object.keys(FIELDS).sort())
  })

  it('does without the fields that are not required, and ignores unknown ones', async () => {
    const answer = await send({
      staticQRCode: undefined,
      identityNumber: undefined,
      bankName: undefined,
      rmCode: undefined,
      colour: 5,
    })
    expect(answer.body).toMatchObject({ code: 40013 })
  })
})

describe('a callback', () => {
  const send = async (changes: object) => {
    const partner = await anyone()
    return partner.call('POST', '/payment/callback', { ...CALLBACK, checkSum: 'wrong', ...changes })
  }
  const optional = ['bankCode', 'billNumber', 'notice', 'traceTransfer']
  const good: [string, unknown][] = [
    ...optional.flatMap((field) => ['', null, undefined].map((value): [string, unknown] => [field, value])),
    ...['1', '9999999999999'].map((value): [string, unknown] => ['transactionAmount', value]),
    ...['x'.repeat(512), '🍜'.repeat(512), 'a\tb\nc'].map((value): [string, unknown] => ['notice', value]),
    ...['ftCode', 'billNumber', 'traceTransfer', 'terminalID'].flatMap((field) =>
      printable(64).good.map((value): [string, unknown] => [field, value]),
    ),
  ]
  it.each(good)('takes %s %j', async (field, value) => {
    // The checksum is wrong: that is looked at only when every field is valid.
    expect((await send({ [field]: value })).body).toMatchObject({ code: 40014 })
  })

  const badText = printable(64).bad.filter((value) => value !== '')
  const bad: [string, unknown][] = [
    ...['', '0', '01', '-1', '1.5', '1,000', ' 1', '1e3', '10000000000000', '١'].map(
      (value): [string, unknown] => ['transactionAmount', value],
    ),
    ...['ftCode', 'billNumber', 'traceTransfer', 'terminalID'].flatMap((field) =>
      badText.map((value): [string, unknown] => [field, value]),
    ),
    ...['x'.repeat(513), 'a\u0000', 'a\rb', '\udfff', 5, {}].map((value): [string, unknown] => [
      'notice',
      value,
    ]),
    ...['M', 'M B', 5].map((value): [string, unknown] => ['bankCode', value]),
    ...['terminalID', 'transactionAmount', 'payDate', 'checkSum'].flatMap((field) =>
      [undefined, null, '', 5].map((value): [string, unknown] => [field, value]),
    ),
  ]
  it.each(bad)('refuses %s %j by name', async (field, value) => {
    const answer = await send({ [field]: value })
    expect(answer.body).toMatchObject({ code: 40001 })
    expect(badFields(answer)).toEqual([field])
  })

  it('says of an amount that is a number that it must be a string', async () => {
    expect(JSON.stringify((await send({ transactionAmount: 50000 })).body)).toContain(
      'must be a JSON string, not a number',
    )
  })

  it('needs ftCode or traceTransfer', async () => {
    expect((await send({ ftCode: '' })).body).toMatchObject({ code: 40014 })
    expect(badFields(await send({ ftCode: null, traceTransfer: '' }))).toEqual(['ftCode'])
  })

  it('names every field that is wrong at once, those that depend on others and on the clock too', async () => {
    const answer = await send({
      terminalID: 5,
      transactionAmount: '0',
      ftCode: '',
      traceTransfer: null,
      payDate: '2030-01-01',
    })
    expect(badFields(answer)).toEqual(['ftCode', 'payDate', 'terminalID', 'transactionAmount'])
  })
})

describe('a dynamic QR', () => {
  const send = async (changes: object) => {
    const partner = await anyone()
    const body = { storeId: 'none', billNumber: 'B', transactionAmount: '1', qrcode: 'x', ...changes }
    return partner.call('POST', '/payment/dynamic-qr', body)
  }
  it.each<[string, unknown]>([
    ...printable(1024).good.map((value): [string, unknown] => ['qrcode', value]),
    ['qrcode', ''],
    ['qrcode', undefined],
    ['billNumber', 'x'.repeat(64)],
    ['transactionAmount', '9999999999999'],
  ])('takes %s %j', async (field, value) => {
    expect((await send({ [field]: value })).body).toMatchObject({ code: 40016 })
  })

  it.each<[string, unknown]>([
    ...printable(1024)
      .bad.filter((value) => value !== '')
      .map((value): [string, unknown] => ['qrcode', value]),
    ...['', 'x'.repeat(65), null, 5, undefined].map((value): [string, unknown] => ['billNumber', value]),
    ...['0', 50000, null, undefined].map((value): [string, unknown] => ['transactionAmount', value]),
    ...['', null, 5, undefined].map((value): [string, unknown] => ['storeId', value]),
  ])('refuses %s %j by name', async (field, value) => {
    const answer = await send({ [field]: value })
    expect(answer.body).toMatchObject({ code: 40001 })
    expect(badFields(answer)).toEqual([field])
  })
})

describe('the other endpoints', () => {
  it.each([
    ['POST', '/device/send-verification', ['deviceSerial']],
    ['POST', '/device/unregister', ['deviceSerial']],
    ['PATCH', '/device/update-status', ['devices']],
    ['POST', '/auth/token', ['clientId', 'clientSecret']],
    ['POST', '/auth/refresh', ['refreshToken']],
    ['POST', '/payment/callback', ['checkSum', 'ftCode', 'payDate', 'terminalID', 'transactionAmount']],
    ['POST', '/payment/dynamic-qr', ['billNumber', 'storeId', 'transactionAmount']],
  ])('%s %s names what is missing', async (method, path, fields) => {
    const partner = await anyone()
    expect(badFields(await partner.call(method, path, {}))).toEqual(fields)
  })
})
