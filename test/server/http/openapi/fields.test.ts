import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  badFields,
  createTestApi,
  REGISTRATION,
  type TestApi,
  type TestPartner,
} from '../../../support/api.ts'
import { CALLBACK } from '../../../support/callback.ts'
import { withFile } from '../../../support/folder.ts'
import { badRows, type FieldName, goodRows, type Need } from './field-values.ts'

/** Every rule of a field, on every operation that has the field. */

let api: TestApi
let partner: TestPartner
const onEnd = withFile()
beforeAll(async () => {
  api = createTestApi({ onEnd })
  partner = await api.partner()
})

/** An operation that cannot succeed here, because its object does not exist; fields are checked first. */
interface Use {
  operation: string
  method: string
  path: string
  /** A valid body. */
  body: Record<string, unknown>
  fields: Partial<Record<FieldName, Need>>
  /** The code for a valid body; 200 when it succeeds. */
  right: number
}

const USES: Use[] = [
  {
    operation: 'a registration',
    ...{ method: 'POST', path: '/device/register', right: 40013 },
    body: { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: '123456' },
    fields: {
      ...{ phoneNumber: 'required', deviceSerial: 'required', storeName: 'required', bankCode: 'required' },
      ...{ bankAccountNumber: 'required', bankAccountName: 'required', terminalID: 'required' },
      ...{ verificationCode: 'required', staticQRCode: 'optional', identityNumber: 'optional' },
      ...{ bankName: 'optional', rmCode: 'optional' },
    },
  },
  {
    operation: "a store's change",
    ...{ method: 'PUT', path: '/store/none', right: 40402, body: { storeName: 'x', ownerName: 'y' } },
    fields: {
      ...{ storeName: 'optional', ownerName: 'optional', identityNumber: 'optional', bankName: 'optional' },
      ...{ bankCode: 'optional', bankAccountNumber: 'optional', bankAccountName: 'optional' },
      ...{
        phoneNumber: 'optional',
        terminalID: 'optional',
        terminalName: 'optional',
        staticQRCode: 'optional',
      },
    },
  },
  {
    operation: 'a callback',
    ...{ method: 'POST', path: '/payment/callback', right: 40014, body: { ...CALLBACK, checkSum: 'wrong' } },
    fields: {
      ...{ terminalID: 'required', transactionAmount: 'required', payDate: 'required', checkSum: 'required' },
      ...{ bankCode: 'or empty', billNumber: 'or empty', notice: 'or empty' },
      // One of the two suffices, and the other is present.
      ...{ traceTransfer: 'or empty', ftCode: 'or empty' },
    },
  },
  {
    operation: 'a dynamic QR',
    ...{ method: 'POST', path: '/payment/dynamic-qr', right: 40016 },
    body: { storeId: 'none', billNumber: 'B', transactionAmount: '1', qrcode: 'x' },
    fields: {
      ...{ storeId: 'required', billNumber: 'required', transactionAmount: 'required', qrcode: 'or empty' },
    },
  },
  {
    operation: 'a request for a code',
    ...{ method: 'POST', path: '/device/send-verification', right: 40013, body: { deviceSerial: 'SB-0001' } },
    fields: { deviceSerial: 'required' },
  },
  {
    operation: 'a release',
    ...{ method: 'POST', path: '/device/unregister', right: 40013, body: { deviceSerial: 'SB-0001' } },
    fields: { deviceSerial: 'required' },
  },
  {
    operation: 'a login',
    ...{ method: 'POST', path: '/auth/token', right: 40103, body: { clientId: 'a', clientSecret: 'b' } },
    fields: { clientId: 'required', clientSecret: 'required' },
  },
  {
    operation: 'a refresh',
    ...{ method: 'POST', path: '/auth/refresh', right: 40104, body: { refreshToken: 'a' } },
    fields: { refreshToken: 'required' },
  },
]

/** The partner with its full quota. No request changes anything, so one hub serves all tests. */
async function send({ method, path, body }: Use, changes: object): Promise<Answer> {
  await api.clock.wind(20)
  // After ten failures the throttle would answer instead.
  const clientId = path === '/auth/token' && { clientId: `c${api.clock.now()}` }
  return partner.call(method, path, { ...body, ...clientId, ...changes })
}

describe.each(USES)('$operation', (use) => {
  it.each(goodRows(use.fields))('accepts %s %j', async (field, value) => {
    expect((await send(use, { [field]: value })).body).toMatchObject({ code: use.right })
  })

  it.each(badRows(use.fields))('refuses %s %j with its field', async (field, value) => {
    const answer = await send(use, { [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 40001, error: 'VALIDATION_FAILED' })
    expect(badFields(answer)).toEqual([field])
  })

  const fields = Object.keys(use.fields)
  it('lists every wrong field at once', async () => {
    const answer = await send(use, Object.fromEntries(fields.map((field) => [field, 5])))
    expect(badFields(answer)).toEqual(fields.sort())
  })

  it.each([
    ['a number', 5, 'must be a JSON string, not a number'],
    ['null', null, 'must be a JSON string, not null'],
    ['an array', ['x'], 'must be a JSON string, not an array'],
    ['an object', {}, 'must be a JSON string, not an object'],
    ['a boolean', true, 'must be a JSON string, not a boolean'],
  ])('answers that %s must be a string', async (_, value, issue) => {
    const [field = ''] = Object.entries(use.fields).find(([, need]) => need !== 'or empty') ?? []
    expect((await send(use, { [field]: value })).body).toMatchObject({ details: [{ field, issue }] })
  })

  it('ignores unknown fields', async () => {
    const strange = { colour: 5, id: null, '': {}, toString: 1, constructor: { prototype: [] } }
    expect((await send(use, strange)).body).toMatchObject({ code: use.right })
  })
})

describe('a callback', () => {
  const callback = (changes: object) =>
    partner.call('POST', '/payment/callback', { ...CALLBACK, checkSum: 'wrong', ...changes })

  it.each([
    ['', ''],
    [null, ''],
    [undefined, null],
    ['', undefined],
  ])('requires ftCode or traceTransfer: refuses %j and %j', async (ftCode, traceTransfer) => {
    expect(badFields(await callback({ ftCode, traceTransfer }))).toEqual(['ftCode'])
    expect((await callback({ ftCode, traceTransfer: 'x' })).body).toMatchObject({ code: 40014 })
  })

  it('lists every wrong field at once, also those that depend on others or on the clock', async () => {
    const wrong = {
      terminalID: 5,
      transactionAmount: '0',
      ftCode: '',
      traceTransfer: null,
      payDate: '2030-01-01',
    }
    expect(badFields(await callback(wrong))).toEqual(['ftCode', 'payDate', 'terminalID', 'transactionAmount'])
  })
})

describe('an update of many devices', () => {
  const update = async (item: unknown) => {
    await api.clock.wind(20)
    return partner.call('PATCH', '/device/update-status', { devices: [item] })
  }

  it.each(badRows({ deviceSerial: 'required' }))(
    'refuses %s %j with its field and index',
    async (_, deviceSerial) => {
      expect(badFields(await update({ deviceSerial, active: true }))).toEqual(['devices.0.deviceSerial'])
    },
  )

  it.each([null, 'SB-0001', 1, true, []])('refuses an item that is not an object: %j', async (item) => {
    expect((await update(item)).body).toMatchObject({
      details: [{ field: 'devices.0', issue: 'must be an object with deviceSerial and active' }],
    })
  })

  it.each(['true', 1, 0, null, undefined, {}, []])(
    'refuses active %j with its field and index',
    async (active) => {
      expect(badFields(await update({ deviceSerial: 'SB-0001', active }))).toEqual(['devices.0.active'])
    },
  )
})
