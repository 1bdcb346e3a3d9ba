import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { authExamples } from '../../../server/http/examples/auth.ts'
import { deviceExamples } from '../../../server/http/examples/devices.ts'
import { paymentExamples } from '../../../server/http/examples/payments.ts'
import { settingsExamples } from '../../../server/http/examples/settings.ts'
import { storeExamples } from '../../../server/http/examples/stores.ts'
import { story } from '../../../server/http/examples/story.ts'
import { type Answer, createTestApi, stringAt } from '../../support/api.ts'
import { checksumOf } from '../../support/callback.ts'
import { settle } from '../../support/clock.ts'

/** The examples of the description, played in their order: what they show is what happens. */

const BASE = '/api/v1/partner'

async function world() {
  const api = createTestApi()
  const { clientId, clientSecret } = story
  const partner = { clientId, name: 'Example', disabledAt: undefined, createdAt: api.clock.now() }
  await api.storage.partners.create(partner, clientSecret)
  const device = await api.device(story.deviceSerial)
  const logIn = await api.request('POST', `${BASE}/auth/token`, {
    body: authExamples.getAccessToken.request.credentials.value,
  })
  const token = stringAt(logIn, 'accessToken')
  const send = (method: string, path: string, body?: unknown) =>
    api.request(method, `${BASE}${path}`, { token, body })
  const register = async (changes: object = {}) => {
    const { shop } = deviceExamples.registerDevice.request
    await send('POST', '/device/send-verification', deviceExamples.sendVerificationCode.request.device.value)
    const verificationCode = device.code()
    return send('POST', '/device/register', { ...shop.value, verificationCode, ...changes })
  }
  return { api, device, logIn, send, register }
}

/** The example with what differs from run to run left open: ids, tokens, instants. */
function alike(example: unknown): unknown {
  if (Array.isArray(example)) return example.map(alike)
  if (typeof example === 'string') return CHANGING.test(example) ? expect.any(String) : example
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, alike(value)]))
}

const CHANGING = /^([0-9a-f]{8}-[0-9a-f-]{27}|sb[ar]_.*|2026-.*Z)$/

function expectExample(answer: Answer, example: { value: unknown }) {
  expect(answer.body).toEqual(alike(example.value))
}

it('logs in and refreshes as the examples show', async () => {
  const { api, logIn } = await world()
  expectExample(logIn, authExamples.getAccessToken.answer.tokens)
  await api.clock.wind(3_600_000)
  const refreshed = await api.request('POST', `${BASE}/auth/refresh`, {
    body: { refreshToken: stringAt(logIn, 'refreshToken') },
  })
  expectExample(refreshed, authExamples.refreshAccessToken.answer.tokens)
})

it('registers, changes and releases as the examples show', async () => {
  const { send, register, device } = await world()
  const sent = await send(
    'POST',
    '/device/send-verification',
    deviceExamples.sendVerificationCode.request.device.value,
  )
  expect(sent.body).toEqual(deviceExamples.sendVerificationCode.answer.shown.value)
  const { request, answer } = deviceExamples.registerDevice
  const verificationCode = device.code()
  const least = await send('POST', '/device/register', { ...request.least.value, verificationCode })
  expect(least.status).toBe(201)

  const registered = await register()
  expectExample(registered, answer.registered)
  expectExample(await send('GET', `/device/${story.deviceSerial}`), deviceExamples.getDevice.answer.linked)
  const { details } = storeExamples.updateStore.request
  const changed = await send('PUT', `/store/${stringAt(registered, 'store', 'id')}`, details.value)
  expectExample(changed, storeExamples.updateStore.answer.changed)
  const { updateDevicesStatus, unregisterDevice } = deviceExamples
  expectExample(
    await send('PATCH', '/device/update-status', updateDevicesStatus.request.two.value),
    updateDevicesStatus.answer.partly,
  )
  expectExample(
    await send('POST', '/device/unregister', unregisterDevice.request.device.value),
    unregisterDevice.answer.free,
  )
  device.leave()
  expectExample(await send('GET', `/device/${story.deviceSerial}`), deviceExamples.getDevice.answer.free)
})

it('tests a device and sets it up as the examples show', async () => {
  const { api, send, register, device } = await world()
  await register()
  await api.clock.wind(1_000)
  const path = `/device/${story.deviceSerial}`
  expectExample(await send('POST', `${path}/test-announcement`), deviceExamples.testDevice.answer.heard)
  const { getDeviceSettings, updateDeviceSettings } = settingsExamples
  expectExample(await send('GET', `${path}/settings`), getDeviceSettings.answer.unknown)
  const { both, louder } = updateDeviceSettings.request
  expect((await send('PUT', `${path}/settings`, both.value)).status).toBe(200)

  const { waiting } = updateDeviceSettings.answer
  await device.report(waiting.value.reported)
  expectExample(await send('PUT', `${path}/settings`, louder.value), waiting)
})

it('shows, takes and proves a payment as the examples show', async () => {
  const { send, register } = await world()
  const storeId = stringAt(await register(), 'store', 'id')
  const { createDynamicQr, reportPayment, getTransaction } = paymentExamples
  for (const { value } of Object.values(createDynamicQr.request))
    expectExample(
      await send('POST', '/payment/dynamic-qr', { ...value, storeId }),
      createDynamicQr.answer.shown,
    )
  const { bill, staticQr } = reportPayment.request
  expectExample(await send('POST', '/payment/callback', bill.value), reportPayment.answer.bill)
  expectExample(await send('POST', '/payment/callback', staticQr.value), reportPayment.answer.staticQr)
  await settle()
  const found = await send('GET', `/payment/transactions/${story.ftCode}`)
  const [announcement] = Object(found.body).announcements
  const example = getTransaction.answer.played.value
  const numbered = { ...example.announcements[0], n: announcement.n }
  expectExample(found, { value: { ...example, announcements: [numbered] } })
})

it('signs the examples of the callback with the secret that they name', () => {
  for (const { summary, value } of Object.values(paymentExamples.reportPayment.request)) {
    const { checkSum, ...fields } = value
    const { terminalID, bankCode, billNumber, transactionAmount, notice, payDate, traceTransfer } = fields
    const ftCode = 'ftCode' in fields ? fields.ftCode : ''
    const text = new URLSearchParams({
      ...{ terminalID, bankCode, billNumber: billNumber ?? '', transactionAmount, notice, payDate },
      ...{ traceTransfer, ftCode },
    }).toString()
    expect(createHmac('sha256', story.clientSecret).update(text).digest('hex')).toBe(checkSum)
    expect(summary).toMatch(/the same secret|sbs_/)
  }
})

type World = Awaited<ReturnType<typeof world>>
const { createDynamicQr, reportPayment } = paymentExamples
const { bill } = reportPayment.request
const { built } = createDynamicQr.request
const { shop } = deviceExamples.registerDevice.request

/** The operations' examples of `details`, each with what is done to get them. */
const refusals: [string, unknown, (world: World) => Promise<Answer>][] = [
  [
    'getAccessToken',
    authExamples.getAccessToken.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/auth/token', { clientId: story.clientId }),
  ],
  [
    'refreshAccessToken',
    authExamples.refreshAccessToken.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/auth/refresh', {}),
  ],
  [
    'sendVerificationCode',
    deviceExamples.sendVerificationCode.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/device/send-verification', { deviceSerial: 'SB 0001' }),
  ],
  [
    'sendVerificationCode, unknown',
    deviceExamples.sendVerificationCode.errors.BODY_DEVICE_NOT_FOUND,
    ({ send }) => send('POST', '/device/send-verification', { deviceSerial: 'SB-0009' }),
  ],
  [
    'registerDevice',
    deviceExamples.registerDevice.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/device/register', { ...shop.value, phoneNumber: '12', bankCode: undefined }),
  ],
  [
    'unregisterDevice',
    deviceExamples.unregisterDevice.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/device/unregister', {}),
  ],
  [
    'updateDevicesStatus',
    deviceExamples.updateDevicesStatus.errors.VALIDATION_FAILED,
    ({ send }) =>
      send('PATCH', '/device/update-status', {
        devices: [
          { deviceSerial: 'SB-0001', active: true },
          { deviceSerial: 'SB-0002', active: 'no' },
        ],
      }),
  ],
  [
    'createDynamicQr',
    createDynamicQr.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/payment/dynamic-qr', { billNumber: 'B', transactionAmount: 50000 }),
  ],
  [
    'createDynamicQr, unknown store',
    createDynamicQr.errors.BODY_STORE_NOT_FOUND,
    ({ send }) => send('POST', '/payment/dynamic-qr', built.value),
  ],
  [
    'createDynamicQr, paid',
    createDynamicQr.errors.BILL_ALREADY_PAID,
    async ({ send, register }) => {
      const body = { ...built.value, storeId: stringAt(await register(), 'store', 'id') }
      await send('POST', '/payment/dynamic-qr', body)
      await send('POST', '/payment/callback', bill.value)
      return send('POST', '/payment/dynamic-qr', body)
    },
  ],
  [
    'createDynamicQr, another amount',
    createDynamicQr.errors.QR_AMOUNT_MISMATCH,
    async ({ send, register }) => {
      const storeId = stringAt(await register(), 'store', 'id')
      const { value } = createDynamicQr.request.given
      return send('POST', '/payment/dynamic-qr', { ...value, storeId, transactionAmount: '60000' })
    },
  ],
  [
    'reportPayment',
    reportPayment.errors.VALIDATION_FAILED,
    ({ send }) =>
      send('POST', '/payment/callback', {
        ...bill.value,
        transactionAmount: 50000,
        ftCode: '',
        traceTransfer: '',
      }),
  ],
  [
    'reportPayment, wrong checksum',
    reportPayment.errors.CHECKSUM_MISMATCH,
    ({ send }) => {
      const { checkSum: _right, ...fields } = bill.value
      const pairs = Object.entries(fields).map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
      const checkSum = createHmac('sha256', story.clientSecret).update(pairs.join('&')).digest('hex')
      return send('POST', '/payment/callback', { ...fields, checkSum })
    },
  ],
  [
    'reportPayment, other content',
    reportPayment.errors.TRANSACTION_CONFLICT,
    async ({ send, register }) => {
      await register()
      await send('POST', '/payment/callback', bill.value)
      const { checkSum: _right, ...fields } = { ...bill.value, transactionAmount: '60000' }
      const checkSum = checksumOf(story.clientSecret, fields)
      return send('POST', '/payment/callback', { ...fields, checkSum })
    },
  ],
  [
    'reportPayment, unknown till',
    reportPayment.errors.BODY_STORE_NOT_FOUND,
    ({ send }) => send('POST', '/payment/callback', bill.value),
  ],
  [
    'updateDeviceSettings',
    settingsExamples.updateDeviceSettings.errors.VALIDATION_FAILED,
    ({ send }) => send('PUT', '/device/SB-0001/settings', { volume: 101 }),
  ],
  [
    'updateStore',
    storeExamples.updateStore.errors.VALIDATION_FAILED,
    ({ send }) => send('PUT', `/store/${story.storeId}`, { storeName: null }),
  ],
  [
    'updateStore, taken',
    storeExamples.updateStore.errors.TERMINAL_ID_TAKEN,
    async ({ send, register }) => {
      await register({ terminalID: 'TILL-02' })
      const storeId = stringAt(await register(), 'store', 'id')
      return send('PUT', `/store/${storeId}`, { terminalID: 'TILL-02' })
    },
  ],
]

it.each(refusals)('refuses with the details that are shown: %s', async (_, details, act) => {
  expect(Object((await act(await world())).body).details).toEqual(details)
})
