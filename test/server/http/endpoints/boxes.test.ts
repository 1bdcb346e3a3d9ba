import { describe, expect, it } from 'vitest'
import { createTestApi, REGISTRATION, stringAt, type TestPartner } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import type { BoxDouble } from '../../../support/mqtt/box-double.ts'

const STATIC_QR =
  '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7'

async function world(profile: string) {
  const api = createTestApi()
  const partner = await api.partner()
  const box = await api.box(profile, 'BOX-0001')
  const send = () => partner.call('POST', '/device/send-verification', { deviceSerial: box.serial })
  return { api, partner, box, send }
}

/** Registers with the label, which every box has. */
async function register(partner: TestPartner, box: BoxDouble, verificationCode = box.label) {
  const body = { ...REGISTRATION, deviceSerial: box.serial, verificationCode, staticQRCode: STATIC_QR }
  const answer = await partner.call('POST', '/device/register', body)
  expect(answer.status).toBe(201)
  await settle()
  return stringAt(answer, 'store', 'id')
}

const contents = (box: BoxDouble, type: string): unknown[] =>
  box.heard
    .filter((message) => Object(message).packet_type === type)
    .map((message) => Object(message).content)

describe('abilities', () => {
  it('tells of a speaker of our own what its dialect can, with the languages that it has reported', async () => {
    const { api, partner } = await world('hemipay')
    await api.device('SB-0001')
    const answer = await partner.call('GET', '/device/SB-0001')
    expect(Object(answer.body).abilities).toEqual({
      ...{ dialect: 'sb/1', profile: null, proof: 'played', identity: 'device', pairing: 'screen' },
      ...{ screen: true, qr: true, missed: true, keypad: false, settings: ['volume', 'lang'] },
      ...{ languages: ['vi'], maxAmount: '9999999999999' },
    })
  })

  it.each([
    [
      'hemipay',
      {
        dialect: 'hemipay',
        proof: 'accepted',
        identity: 'device',
        pairing: 'screen',
        qr: true,
        keypad: true,
      },
    ],
    [
      'morefun',
      { dialect: 'oneway', proof: 'none', identity: 'weak', pairing: 'qr', qr: true, maxAmount: '9999999' },
    ],
    [
      'alink',
      { dialect: 'alink', proof: 'played', pairing: 'spoken', screen: false, qr: false, missed: false },
    ],
  ])('tells of a box what its profile can: %s', async (profile, abilities) => {
    const { partner } = await world(profile)
    const one = Object((await partner.call('GET', '/device/BOX-0001')).body)
    expect(one.abilities).toMatchObject({ profile, settings: [], ...abilities })
  })

  it('are in the list of devices as in the detail', async () => {
    const { api, partner, box } = await world('openluat')
    await register(partner, box)
    await partner.register(await api.device('SB-0001'), { terminalID: 'T-02' })
    const { data } = Object((await partner.call('GET', '/device')).body)
    const details = await Promise.all(
      ['SB-0001', 'BOX-0001'].map(async (serial) => (await partner.call('GET', `/device/${serial}`)).body),
    )
    expect(data).toEqual(details)
  })
})

describe('what a box can not do', () => {
  it.each([
    ['PUT', '/device/BOX-0001/settings', { volume: 50 }, 'volume'],
    ['PUT', '/device/BOX-0001/settings', { lang: 'vi' }, 'lang'],
    ['POST', '/device/BOX-0001/test-announcement', undefined, 'deviceSerial'],
  ])('is answered with DEVICE_CANNOT and never sent: %s %s', async (method, path, body, field) => {
    const { partner, box } = await world('hemipay')
    await register(partner, box)
    const before = box.heard.length
    const answer = await partner.call(method, path, body)
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 40907, error: 'DEVICE_CANNOT', details: [{ field }] },
    })
    await settle()
    expect(box.heard).toHaveLength(before)
    expect((await partner.call('GET', '/device/BOX-0001/settings')).body).toMatchObject({ desired: null })
  })

  it("is not told of another partner's box", async () => {
    const { api, partner, box } = await world('hemipay')
    await register(partner, box)
    const other = await api.partner('Other')
    expect(await other.call('PUT', '/device/BOX-0001/settings', { volume: 50 })).toMatchObject({
      status: 404,
    })
    expect(await other.call('POST', '/device/BOX-0001/test-announcement')).toMatchObject({ status: 404 })
  })
})

describe('the verification code of a box', () => {
  const codeOf: Record<string, (message: unknown) => unknown> = {
    hemipay: (message) =>
      Object(message).content?.screen_content_config.wait_payment_screen_label_3_config?.txt,
    morefun: (message) => Object(message).order_sn,
  }

  it.each([
    ['hemipay', 'screen'],
    ['morefun', 'qr'],
  ])('%s: the answer names the channel, and the code registers', async (profile, channel) => {
    const { partner, box, send } = await world(profile)
    expect(await send()).toMatchObject({ status: 200, body: { deviceSerial: 'BOX-0001', channel } })
    const code = box.heard.map((message) => codeOf[profile]?.(message)).findLast((text) => text !== undefined)
    expect(code).toMatch(/^[0-9]{6}$/)
    await register(partner, box, String(code))
  })

  it('says it twice in one sentence, and the PUBACK confirms it while the box still speaks', async () => {
    const { box, send } = await world('clip-numbers')
    expect(await send()).toMatchObject({ status: 200, body: { channel: 'spoken', codesRemaining: 2 } })
    const clips: string[] = Object(box.heard.at(-1)).playAudibleMsg.split('-')
    expect(clips).toHaveLength(12)
    expect(clips.slice(6)).toEqual(clips.slice(0, 6))
  })

  it('is not issued without the PUBACK', async () => {
    const { api, box, send } = await world('clip-numbers')
    box.confirms = false
    const answer = send()
    await api.clock.wind(5_000)
    expect(await answer).toMatchObject({ status: 504, body: { code: 50401 } })
  })

  it('is refused for a box with a printed label, which the message names; the label registers as it is printed', async () => {
    const { partner, box, send } = await world('openluat')
    const refused = await send()
    expect(refused).toMatchObject({ status: 409, body: { code: 40907 } })
    expect(refused.text).toContain('printed label')
    expect(box.heard).toEqual([])
    const printed = box.label.toLowerCase().replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
    await register(partner, box, printed)
  })
})

describe("a bill's QR", () => {
  const bill = { billNumber: 'B-1', transactionAmount: '50000' }

  it('is shown by a box with a screen, and closed by its payment', async () => {
    const { partner, box } = await world('hemipay')
    const storeId = await register(partner, box)
    await partner.call('POST', '/payment/dynamic-qr', { storeId, ...bill })
    await settle()
    expect(contents(box, 'wait_payment')).toMatchObject([{ amount_due: 50_000, order_id: 'B-1' }])
    await partner.pay({ billNumber: 'B-1', transactionAmount: '50000' })
    await settle()
    expect(contents(box, 'payment')).toEqual([{ play_payment_amount: 50_000, order_id: 'B-1' }])
  })

  it('is shown by a box that takes it as an order', async () => {
    const { partner, box } = await world('morefun')
    const storeId = await register(partner, box)
    const answer = await partner.call('POST', '/payment/dynamic-qr', { storeId, ...bill })
    await settle()
    expect(box.heard).toMatchObject([{ money: '50000', order_sn: stringAt(answer, 'qrcode') }])
  })

  it('is not sent to a box that shows none, which announces its payment', async () => {
    const { partner, box } = await world('openluat')
    const storeId = await register(partner, box)
    expect(await partner.call('POST', '/payment/dynamic-qr', { storeId, ...bill })).toMatchObject({
      status: 201,
    })
    await settle()
    expect(box.heard).toEqual([])
    await partner.pay({ billNumber: 'B-1', transactionAmount: '50000' })
    await settle()
    expect(box.heard).toHaveLength(1)
  })
})

it('counts connections and reports by dialect', async () => {
  const { api, partner, box } = await world('openluat')
  await register(partner, box)
  await partner.pay()
  await settle()
  const text = await (await api.admin('/metrics')).text()
  expect(text).toContain('hub_devices_connected{dialect="oneway"} 1\n')
  expect(text).toContain('hub_devices_connected{dialect="sb/1"} 0\n')
  expect(text).toContain('hub_announcement_reports_total{dialect="oneway",stage="delivered"} 1\n')
})

it('tells the partner of an amount that was keyed in, when the hub can make no bill of it', async () => {
  const { partner, box } = await world('hemipay')
  const storeId = await register(partner, box)
  const second = {
    ...REGISTRATION,
    deviceSerial: box.serial,
    terminalID: 'T-02',
    verificationCode: box.label,
  }
  const otherId = stringAt(await partner.call('POST', '/device/register', second), 'store', 'id')
  await box.say('BOX-0001/pubmsg', {
    ...{ message_id: '1234567890', device_sn: 'BOX-0001', packet_type: 'request_payment' },
    content: { amount_due: 70_000 },
  })
  const { data } = Object((await partner.call('GET', '/event?after=0&types=amount.keyed')).body)
  expect(data).toMatchObject([
    {
      type: 'amount.keyed',
      data: {
        ...{ deviceSerial: 'BOX-0001', storeIds: [storeId, otherId], transactionAmount: '70000' },
        ...{ keyedId: expect.stringMatching(/^K[0-9A-Z]{24}$/), expiresAt: '2026-11-20T03:15:01.000Z' },
      },
    },
  ])
})
