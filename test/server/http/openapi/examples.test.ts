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
import { settle } from '../../../support/clock.ts'
import { BASE, exampleWorld } from './example-world.ts'

/** Sends the examples of the OpenAPI document in order and compares the responses. */

/** An example without the values that differ in each run: ids, tokens, instants. */
function alike(example: unknown): unknown {
  if (Array.isArray(example)) return example.map(alike)
  if (typeof example === 'string') return CHANGING.test(example) ? expect.any(String) : example
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, alike(value)]))
}

const CSV = { Accept: 'text/csv' }
const CHANGING = /^([0-9a-f]{8}-[0-9a-f-]{27}|sb[ar]_.*|2026-.*Z|wh_.*|whsec_.*)$/

function expectExample(answer: Answer, example: { value: unknown }) {
  expect(answer.body).toEqual(alike(example.value))
}

/** A device reports other values than the example's. */
function expectDetail(
  { body }: Pick<Answer, 'body'>,
  { value }: { value: { health: object; abilities: object } },
) {
  const { health, abilities } = Object(body)
  const { languages } = abilities
  expect(Object.keys(health).sort()).toEqual(Object.keys(value.health).sort())
  const able = { ...value.abilities, languages }
  expect(body).toEqual({ ...Object(alike(value)), health, abilities: able })
}

it('logs in and refreshes as the examples show', async () => {
  const { api, logIn } = await exampleWorld()
  expectExample(logIn, authExamples.getAccessToken.answer.tokens)
  await api.clock.wind(3_600_000)
  const refreshed = await api.request('POST', `${BASE}/auth/refresh`, {
    body: { refreshToken: stringAt(logIn, 'refreshToken') },
  })
  expectExample(refreshed, authExamples.refreshAccessToken.answer.tokens)
})

it('registers, changes and releases as the examples show', async () => {
  const { send, register, device } = await exampleWorld()
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
  expectDetail(await send('GET', `/device/${story.deviceSerial}`), deviceExamples.getDevice.answer.linked)
  const [listed] = Object((await send('GET', '/device')).body).data
  expectDetail({ body: listed }, deviceExamples.getDevice.answer.linked)
  const { getStore } = storeExamples
  const [{ id, ...listedStore }] = Object((await send('GET', '/store')).body).data
  expect(id).toBe(stringAt(registered, 'store', 'id'))
  expect(listedStore).toEqual({ ...getStore.answer.store.value, id: undefined })
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
  expectDetail(await send('GET', `/device/${story.deviceSerial}`), deviceExamples.getDevice.answer.free)
})

it('tests a device and sets it up as the examples show', async () => {
  const { api, send, register, device } = await exampleWorld()
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

it('shows, accepts and proves a payment as the examples show', async () => {
  const { send, register } = await exampleWorld()
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
  const { searchPayments, summarizeDay } = paymentExamples
  const searched = await send('GET', `/payment/transactions?ftCode=${story.ftCode}`)
  expect(searched.body).toEqual({ data: [found.body], next: null })
  expect(Object.keys(Object(found.body)).sort()).toEqual(
    Object.keys(searchPayments.answer.page.value.data[0] ?? {}).sort(),
  )
  const { data } = Object((await send('GET', '/payment/summary')).body)
  const [day] = summarizeDay.answer.day.value.data
  expect(Object.keys(data[0]).sort()).toEqual(Object.keys(day ?? {}).sort())
  const header = async (path: string) => (await send('GET', path, undefined, CSV)).text.split('\r\n')[0]
  expect(await header('/payment/transactions')).toBe(searchPayments.csv.split('\r\n')[0])
  expect(await header('/payment/summary')).toBe(summarizeDay.csv.split('\r\n')[0])
  const [announcement] = Object(found.body).announcements
  const example = getTransaction.answer.played.value
  const numbered = { ...example.announcements[0], n: announcement.n }
  expectExample(found, { value: { ...example, announcements: [numbered] } })
})

it('sends events to a webhook as the examples show', async () => {
  const { api, send, register } = await exampleWorld()
  await register()
  const { createWebhook, getWebhook, listWebhooks, changeWebhook, ...more } = webhookExamples
  expectExample(await send('GET', '/webhook'), listWebhooks.answer.none)
  const created = await send('POST', '/webhook', createWebhook.request.some.value)
  expectExample(created, createWebhook.answer.created)
  const path = `/webhook/${stringAt(created, 'id')}`
  expectExample(await send('GET', path), getWebhook.answer.enabled)
  expectExample(await send('GET', '/webhook'), listWebhooks.answer.one)
  const { types, state } = changeWebhook.request
  expectExample(await send('PATCH', path, types.value), changeWebhook.answer.changed)
  expectExample(await send('PATCH', path, state.value), changeWebhook.answer.changed)
  expectExample(await send('POST', `${path}/rotate`), more.rotateWebhookSecret.answer.rotated)
  const tested = await send('POST', `${path}/test`)
  expect(tested.body).toEqual({ eventId: expect.stringMatching(/^evt_/) })
  expectExample(await send('GET', `${path}/deliveries?state=failed`), more.listDeliveries.answer.end)
  const { body } = await send('GET', '/event?types=device.registered')
  const again = await send('POST', `${path}/replay`, { eventId: Object(body).data[0].id })
  expectExample(again, more.replayEvents.answer.replayed)
  expect((await send('POST', `${path}/replay`, more.replayEvents.request.range.value)).status).toBe(202)
  expect((await send('POST', '/webhook', createWebhook.request.all.value)).status).toBe(201)
  expect(api.log.join('')).not.toContain(story.webhookUrl)
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
