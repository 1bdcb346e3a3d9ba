import { describe, expect, it } from 'vitest'
import { type Answer, createTestApi, REGISTRATION, stringAt, type TestPartner } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const HOUR_MS = 3_600_000

async function world() {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const keyed = (path: string, body: unknown, key = 'key-1', by: TestPartner = partner) =>
    by.call('POST', path, body, { 'Idempotency-Key': key })
  const send = (key?: string) => keyed('/device/send-verification', { deviceSerial: 'SB-0001' }, key)
  /** A code that is resent without an ack counts once. */
  const codesShown = () =>
    new Set(device.heard.flatMap((command) => (command.t === 'code' ? [command.id] : []))).size
  return { api, partner, device, keyed, send, codesShown }
}

const isReplay = (answer: Answer) => answer.headers.get('Idempotent-Replayed') === 'true'

/** A response without the parts that belong to one request. */
const said = ({ status, body }: Answer) => ({ status, body: { ...Object(body), requestId: '' } })

function expectReplay(again: Answer, first: Answer) {
  expect(isReplay(first)).toBe(false)
  expect(isReplay(again)).toBe(true)
  expect(said(again)).toEqual(said(first))
  expect(again.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'))
}

describe('the same request under one Idempotency-Key', () => {
  it('shows and counts one verification code', async () => {
    const { send, codesShown } = await world()
    const first = await send()
    expect(first).toMatchObject({ status: 200, body: { codesRemaining: 2 } })
    expectReplay(await send(), first)
    expect(codesShown()).toBe(1)
    expect((await send('key-2')).body).toMatchObject({ codesRemaining: 1 })
  })

  it('registers once: the repeat succeeds although the code is used', async () => {
    const { partner, device, keyed } = await world()
    await partner.call('POST', '/device/send-verification', { deviceSerial: 'SB-0001' })
    const body = { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: device.code() }
    const first = await keyed('/device/register', body)
    expect(first.status).toBe(201)
    expectReplay(await keyed('/device/register', body), first)
    const unkeyed = await partner.call('POST', '/device/register', body)
    expect(unkeyed.body).toMatchObject({ code: 40012 })
  })

  it('unregisters once, and answers the same even after the device is registered again', async () => {
    const { partner, device, keyed } = await world()
    await partner.register(device)
    const first = await keyed('/device/unregister', { deviceSerial: 'SB-0001' })
    expect(first).toMatchObject({ status: 200, body: { stores: [] } })
    await partner.register(device)
    expectReplay(await keyed('/device/unregister', { deviceSerial: 'SB-0001' }), first)
    expect((await partner.call('GET', '/device/SB-0001')).body).toMatchObject({ stores: [{}] })
  })

  it('creates a dynamic QR once: a repeat does not undo a later change of the bill', async () => {
    const { partner, device, keyed } = await world()
    const storeId = stringAt(await partner.register(device), 'store', 'id')
    const bill = { storeId, billNumber: 'B1', transactionAmount: '1000', qrcode: 'first' }
    const first = await keyed('/payment/dynamic-qr', bill)
    expect(first.status).toBe(201)
    await partner.call('POST', '/payment/dynamic-qr', { ...bill, qrcode: 'second' })
    await settle()
    const heard = device.heard.length
    expectReplay(await keyed('/payment/dynamic-qr', bill), first)
    await settle()
    expect(device.heard).toHaveLength(heard)
    expect(device.heard.findLast((command) => command.t === 'qr')?.d).toMatchObject({ qr: 'second' })
  })

  it('runs once for fifty parallel requests; the others get its response', async () => {
    const { send, codesShown } = await world()
    const answers = await Promise.all(Array.from({ length: 50 }, () => send()))
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
    expect(new Set(answers.map((answer) => JSON.stringify(said(answer)))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 200, body: { codesRemaining: 2 } })
    expect(codesShown()).toBe(1)
  })

  it('repeats an error about content or state with the id of the current request', async () => {
    const { api, partner } = await world()
    const ask = () =>
      partner.call('POST', '/device/unregister', { deviceSerial: 'SB-LATER' }, { 'Idempotency-Key': 'k' })
    const first = await ask()
    expect(first).toMatchObject({ status: 400, body: { code: 40013 } })
    await partner.register(await api.device('SB-LATER'))
    const again = await ask()
    expectReplay(again, first)
    expect(stringAt(again, 'requestId')).toBe(again.headers.get('X-Request-Id'))
    expect(stringAt(again, 'requestId')).not.toBe(stringAt(first, 'requestId'))
  })

  it.each(['offline', 'display_failed'] as const)(
    'does not use up the key when the device is %s: the same request succeeds later',
    async (trouble) => {
      const { device, send, codesShown } = await world()
      if (trouble === 'offline') device.leave()
      else device.obeys = trouble
      expect((await send()).status).toBe(409)
      if (trouble === 'offline') await device.connect()
      else device.obeys = 'final'
      const before = codesShown()
      const second = await send()
      expect(second.status).toBe(200)
      expect(isReplay(second)).toBe(false)
      expect(codesShown()).toBe(before + 1)
    },
  )

  it('has its response for a day', async () => {
    const { api, partner, send, codesShown } = await world()
    await send()
    await api.clock.wind(24 * HOUR_MS - 1)
    await partner.logIn()
    expect(isReplay(await send())).toBe(true)
    await api.clock.wind(1)
    expect(isReplay(await send())).toBe(false)
    expect(codesShown()).toBe(2)
  })

  it('has its response after a restart', async () => {
    const { api, device, send, codesShown } = await world()
    const first = await send()
    await api.restart()
    expectReplay(await send(), first)
    await device.connect()
    expect(codesShown()).toBe(1)
  })
})

describe('another request under the same Idempotency-Key', () => {
  it.each([
    ['with another body', '/device/send-verification', { deviceSerial: 'SB-0002' }],
    ['with the same fields in other bytes', '/device/send-verification', '{ "deviceSerial": "SB-0001" }'],
    ['with a byte order mark', '/device/send-verification', '\ufeff{"deviceSerial":"SB-0001"}'],
    ['to another endpoint', '/device/unregister', { deviceSerial: 'SB-0001' }],
  ])('%s is 40002 and does nothing', async (_, path, body) => {
    const { send, keyed, codesShown } = await world()
    const first = await send()
    const other = await keyed(path, body)
    expect(other).toMatchObject({
      status: 400,
      body: { code: 40002, error: 'IDEMPOTENCY_KEY_REUSED', details: [{ field: 'Idempotency-Key' }] },
    })
    expect(isReplay(other)).toBe(false)
    expectReplay(await send(), first)
    expect(codesShown()).toBe(1)
  })

  it("is independent of another partner's equal key", async () => {
    const { api, send, keyed, codesShown } = await world()
    await send()
    const stranger = await api.partner('Other')
    const theirs = await keyed('/device/send-verification', { deviceSerial: 'SB-0001' }, 'key-1', stranger)
    expect(isReplay(theirs)).toBe(false)
    expect(codesShown()).toBe(2)
  })
})

describe('a response that does not use up the key', () => {
  it('is an error about an invalid body: the corrected request may have the key', async () => {
    const { keyed, send, codesShown } = await world()
    for (const bad of ['{', {}, { deviceSerial: '!' }])
      expect(isReplay(await keyed('/device/send-verification', bad))).toBe(false)
    expect((await send()).status).toBe(200)
    expect(codesShown()).toBe(1)
  })

  it('is an error about the quota of codes', async () => {
    const { api, send } = await world()
    for (const key of ['1', '2', '3']) await send(key)
    const fourth = await send('4')
    expect(fourth).toMatchObject({ status: 429, body: { code: 42901 } })
    expect(isReplay(await send('4'))).toBe(false)
    await api.clock.wind(15 * 60_000)
    expect(await send('4')).toMatchObject({ status: 200, body: { codesRemaining: 2 } })
  })

  it('is an error about a device that does not respond; waiting requests share it', async () => {
    const { api, device, send, codesShown } = await world()
    device.obeys = 'received'
    const waiting = [send(), send(), send()]
    await settle()
    await api.clock.wind(5_000)
    const answers = await Promise.all(waiting)
    expect(answers.map(({ status }) => status)).toEqual([504, 504, 504])
    expect(new Set(answers.map((answer) => stringAt(answer, 'requestId'))).size).toBe(3)
    device.obeys = 'final'
    expect((await send()).status).toBe(200)
    expect(codesShown()).toBe(2)
  })

  it('is an error of the storage', async () => {
    const { api, send } = await world()
    await api.storage.close()
    expect(await send()).toMatchObject({ status: 503, body: { code: 50300 } })
    await api.restart()
    expect(await send()).toMatchObject({ status: 409, body: { code: 40901 } })
  })

  it('is a refused token', async () => {
    const { api, partner, send } = await world()
    await api.clock.wind(HOUR_MS)
    expect((await send()).status).toBe(401)
    await partner.logIn()
    expect((await send()).status).toBe(200)
  })
})

describe('the header Idempotency-Key', () => {
  it.each(['k', '"8e03978e-40d5-43e8-bc93-6894a57f9324"', '~'.repeat(255), '!{}|;,'])(
    'may be %s',
    async (key) => {
      const { send } = await world()
      expect((await send(key)).status).toBe(200)
      expect(isReplay(await send(key))).toBe(true)
    },
  )

  it.each(['', 'two words', 'x'.repeat(256), 'kh\u00f3a', 'a\tb'])('must not be %j', async (key) => {
    const { send, codesShown } = await world()
    expect(await send(key)).toMatchObject({
      status: 400,
      body: { code: 40001, details: [{ field: 'Idempotency-Key' }] },
    })
    expect(codesShown()).toBe(0)
  })

  it('is another key with quotes', async () => {
    const { send } = await world()
    await send('k')
    expect(isReplay(await send('"k"'))).toBe(false)
  })

  it('is ignored by operations with their own rule for repeats', async () => {
    const { api, partner, device } = await world()
    await partner.register(device)
    const headers = { 'Idempotency-Key': 'key-1' }
    const { clientId, clientSecret } = partner
    const logIn = () =>
      api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret }, headers })
    expect(stringAt(await logIn(), 'accessToken')).not.toBe(stringAt(await logIn(), 'accessToken'))
    const lock = (active: boolean) =>
      partner.call(
        ...['PATCH', '/device/update-status'],
        { devices: [{ deviceSerial: 'SB-0001', active }] },
        headers,
      )
    for (const active of [false, true])
      expect(await lock(active)).toMatchObject({ body: { successCount: 1 } })
  })
})
