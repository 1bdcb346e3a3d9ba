import { expect, it } from 'vitest'
import { createTestShop } from '../../../support/api.ts'
import { signedCallback } from '../../../support/callback.ts'

const CALLBACK = '/api/v1/partner/payment/callback'

async function world() {
  const { api, partner } = await createTestShop()
  const last = () => JSON.parse(api.log.findLast((line) => line.includes('"msg":"request"')) ?? '')
  return { api, partner, last }
}

const answered = (status: number, more: object = {}) => ({
  ...{ level: 'info', method: 'POST', route: CALLBACK, status, address: '', msg: 'request' },
  ...{
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    requestId: expect.any(String),
    ms: expect.any(Number),
  },
  ...more,
})

it('an accepted callback is logged with its partner and transaction', async () => {
  const { partner, last } = await world()
  await partner.pay({ ftCode: 'FT1' })
  expect(last()).toEqual(answered(200, { partner: partner.clientId, ftCode: 'FT1' }))
})

it.each([
  { code: 40014, error: 'CHECKSUM_MISMATCH', changes: { checkSum: '0'.repeat(64) } },
  { code: 40016, error: 'STORE_NOT_FOUND', changes: { terminalID: 'T9' }, signed: true },
  { code: 40018, error: 'TRANSACTION_CONFLICT', changes: { transactionAmount: '1' }, signed: true },
])(
  'a callback that is refused with $code is logged as a warning',
  async ({ code, error, changes, signed }) => {
    const { partner, last } = await world()
    await partner.pay({ ftCode: 'FT1' })
    const body = signed
      ? signedCallback(partner.clientSecret, { ftCode: 'FT1', ...changes })
      : { ...signedCallback(partner.clientSecret, { ftCode: 'FT1' }), ...changes }
    await partner.call('POST', '/payment/callback', body)
    const named = { level: 'warn', partner: partner.clientId, ftCode: 'FT1', code, error }
    expect(last()).toEqual(answered(400, named))
  },
)

it('a refused body is named as far as it is text, cut off at 64 characters', async () => {
  const { partner, last } = await world()
  await partner.call('POST', '/payment/callback', { ftCode: 'x'.repeat(1_000) })
  const named = { partner: partner.clientId, ftCode: 'x'.repeat(64), code: 40001, error: 'VALIDATION_FAILED' }
  expect(last()).toEqual(answered(400, named))
  await partner.call('POST', '/payment/callback', { ftCode: { a: 1 } })
  expect(last().ftCode).toBeUndefined()
})

it('a device is named by its serial in the body or in the path, with the route as its pattern', async () => {
  const { partner, last } = await world()
  await partner.call('POST', '/device/send-verification', { deviceSerial: 'SB-0001' })
  expect(last()).toMatchObject({ serial: 'SB-0001', status: 200 })
  await partner.call('GET', '/device/SB-0009')
  const route = '/api/v1/partner/device/:serial'
  expect(last()).toMatchObject({ serial: 'SB-0009', route, code: 40401, partner: partner.clientId })
})

it('a request of nobody has no partner, but an address', async () => {
  const { api, last } = await world()
  const env = { incoming: { socket: { remoteAddress: '::ffff:192.0.2.1' }, headers: {} } }
  await api.fetch(new Request(`http://hub${CALLBACK}`, { method: 'POST' }), env)
  expect(last()).toEqual(answered(401, { address: '192.0.2.1', code: 40100, error: 'MISSING_CREDENTIALS' }))
})

it('a probe without an error is logged at debug', async () => {
  const { api, last } = await world()
  await api.request('GET', '/readyz')
  expect(last()).toMatchObject({ level: 'debug', status: 200, route: '/readyz' })
})

it('a failure of the hub is logged as an error', async () => {
  const { api, last } = await world()
  api.readiness = 'storage'
  await api.request('GET', '/readyz')
  expect(last()).toMatchObject({ level: 'error', status: 503, route: '/readyz' })
})
