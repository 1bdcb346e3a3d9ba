import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { authExamples } from '../../../../server/http/openapi/examples/auth.ts'
import { deviceExamples } from '../../../../server/http/openapi/examples/devices.ts'
import { paymentExamples } from '../../../../server/http/openapi/examples/payments.ts'
import { settingsExamples } from '../../../../server/http/openapi/examples/settings.ts'
import { storeExamples } from '../../../../server/http/openapi/examples/stores.ts'
import { story } from '../../../../server/http/openapi/examples/story.ts'
import { webhookExamples } from '../../../../server/http/openapi/examples/webhooks.ts'
import { type Answer, stringAt } from '../../../support/api.ts'
import { checksumOf } from '../../../support/callback.ts'
import { exampleWorld } from './example-world.ts'

type World = Awaited<ReturnType<typeof exampleWorld>>
const { createDynamicQr, reportPayment } = paymentExamples
const { bill } = reportPayment.request
const { createWebhook, changeWebhook, listDeliveries, replayEvents, rotateWebhookSecret } = webhookExamples
const { built } = createDynamicQr.request
const { shop } = deviceExamples.registerDevice.request

/** The operations' examples of `details`, each with the requests that produce them. */
const refusals: [string, Record<string, string>, (world: World) => Promise<Answer>][] = [
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
  [
    'createWebhook',
    createWebhook.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/webhook', { url: story.webhookUrl, types: [] }),
  ],
  [
    'createWebhook, refused',
    createWebhook.errors.WEBHOOK_URL_REFUSED,
    ({ send }) => send('POST', '/webhook', { url: 'https://127.0.0.1/' }),
  ],
  [
    'changeWebhook',
    changeWebhook.errors.VALIDATION_FAILED,
    ({ send }) => send('PATCH', '/webhook/none', { types: undefined }),
  ],
  [
    'changeWebhook, refused',
    changeWebhook.errors.WEBHOOK_URL_REFUSED,
    async ({ send }) => {
      const id = stringAt(await send('POST', '/webhook', { url: story.webhookUrl }), 'id')
      return send('PATCH', `/webhook/${id}`, { url: 'ftp://example.com/' })
    },
  ],
  [
    'rotateWebhookSecret',
    rotateWebhookSecret.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/webhook/none/rotate', undefined, { 'Idempotency-Key': 'a key' }),
  ],
  [
    'listDeliveries',
    listDeliveries.errors.VALIDATION_FAILED,
    ({ send }) => send('GET', '/webhook/none/deliveries?state=lost'),
  ],
  [
    'replayEvents',
    replayEvents.errors.VALIDATION_FAILED,
    ({ send }) => send('POST', '/webhook/none/replay', {}),
  ],
]

it.each(refusals)('answers with the details of the example: %s', async (_, issues, act) => {
  const details = Object.entries(issues).map(([field, issue]) => ({ field, issue }))
  expect(Object((await act(await exampleWorld())).body).details).toEqual(details)
})
