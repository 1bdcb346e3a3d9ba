import { expect, it } from 'vitest'
import { deviceList, deviceShow } from '../../../../server/operate/cli/device-look.ts'
import { paymentFind, paymentList } from '../../../../server/operate/cli/payment.ts'
import { storeList } from '../../../../server/operate/cli/store.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestShop } from '../../../support/api.ts'
import { ownerOf } from '../../storage/shop.ts'

const MINUTE_MS = 60_000

/** A hub with one partner, one shop and its speaker, as the commands see it. */
async function setUp() {
  const { api, partner, device } = await createTestShop()
  let running: { pid: number; startedAt: number; http: string; mqtt: string } | undefined = {
    ...{ pid: 1, startedAt: Date.parse('2026-11-20T03:00:00.000Z'), http: '', mqtt: '' },
  }
  const workspace = {
    by: OPERATOR,
    get storage() {
      return api.storage
    },
    clock: api.clock,
    running: async () => running,
  }
  const stopHub = () => {
    running = undefined
  }
  return { api, partner, device, workspace, stopHub }
}

it("lists devices with their partner's id, tills and state", async () => {
  const { workspace, partner, stopHub } = await setUp()
  const listed = await deviceList(workspace, {})
  expect(listed.json).toEqual([
    {
      ...{ serial: 'SB-0001', partnerClientId: partner.clientId, state: 'active', connected: true },
      ...{ model: expect.any(String), firmware: expect.any(String), lastBirthAt: expect.any(String) },
      ...{ dialect: 'sb/1', profile: null, wireId: null, proof: 'played', identity: 'device' },
      ...{ lastSeenAt: expect.any(String), leftAt: null, createdAt: expect.any(String), health: null },
      stores: [{ storeId: expect.any(String), terminalID: 'T-01', storeName: 'Quán Cà Phê Sáng' }],
      cursor: expect.stringMatching(/^\d+$/),
    },
  ])
  expect(listed.text).toMatch(/^SERIAL .*\nSB-0001 +online +now +sbc_\w{7}… +T-01 +- /)
  for (const line of listed.text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)

  stopHub()
  const without = await deviceList(workspace, {})
  expect(without.json).toMatchObject([{ connected: null }])
  expect(without.text).toMatch(/SB-0001 +offline.*\nNo hub is running: nobody is connected\.$/)
})

it('shows fifty devices to a person and all in JSON, and continues behind a cursor', async () => {
  const { workspace, api } = await setUp()
  for (let n = 0; n < 60; n += 1) await api.device(`MANY-${n}`, { connected: false })
  const all = await deviceList(workspace, {})
  expect(all.json).toHaveLength(61)
  expect(all.text.split('\n')).toHaveLength(1 + 50 + 1)
  const cursor = /--after (\d+)/.exec(all.text)?.[1]
  const rest = await deviceList(workspace, { after: cursor ?? '' })
  expect(rest.json).toHaveLength(11)
  expect(rest.text).not.toContain('--after')
  const three = await deviceList(workspace, { limit: 3 })
  expect(three.json).toMatchObject([{ serial: 'MANY-59' }, { serial: 'MANY-58' }, { serial: 'MANY-57' }])
  expect(three.text).toMatch(/There are more: add --after \d+/)
  const exact = await deviceList(workspace, { serialPrefix: 'MANY-5', limit: 11 })
  expect(exact.json).toHaveLength(11)
})

it('shows all about a device, and why it is silent', async () => {
  const { workspace, partner, device, api } = await setUp()
  await partner.pay()
  const shown = await deviceShow(workspace, 'SB-0001', {})
  expect(shown.json).toMatchObject({
    serial: 'SB-0001',
    partnerName: 'Acme',
    connected: true,
    announcements: [{ times: { queued: expect.any(String) } }],
    why: [expect.any(String)],
  })
  await api.clock.wind(1_000)
  device.leave()
  await api.clock.wind(10 * MINUTE_MS)
  const away = await deviceShow(workspace, 'SB-0001', { client: 'sbc_other' })
  expect(away.text).toMatch(/state +offline, last seen .* 10m ago/)
  expect(away.json).toMatchObject({
    connected: false,
    why: expect.arrayContaining([
      expect.stringMatching(/^It belongs to another partner/),
      expect.stringMatching(/^It has been offline since 2026-11-20 03:0/),
    ]),
  })
  expect(await deviceShow(workspace, 'NOBODY', {})).toMatchObject({
    done: false,
    text: 'There is no device NOBODY: see hub device list.',
  })
})

it('prints no line or order of a terminal that a device made up', async () => {
  const { workspace, api, stopHub } = await setUp()
  stopHub()
  const { serial } = await api.device('SB-0002', { connected: false })
  const credentials = await api.storage.devices.credentials(serial)
  const hostile = 'X\u001b[2J\u009b31m\u202e\nSB-9999  online'
  const born = {
    firmware: hostile,
    model: hostile,
    languages: [],
    bufferBytes: 512,
    played: 0,
    settingsVersion: 0,
    caps: [],
  }
  await api.storage.outbox.begin(ownerOf(credentials?.deviceId ?? ''), api.clock.now(), { born })
  for (const { text } of [await deviceList(workspace, {}), await deviceShow(workspace, serial, {})]) {
    expect(text).toContain('X\\u001b')
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|\nSB-9999/u)
  }
})

it('finds a payment by each of its codes, and shows who has heard it', async () => {
  const { workspace, partner } = await setUp()
  const body = { ftCode: 'FT-77', traceTransfer: '123456', billNumber: 'HD-77' }
  expect((await partner.pay(body)).status).toBe(200)
  const first = await paymentFind(workspace, 'FT-77', {})
  const id = Object(first.json).payments[0].id
  for (const code of [id, '123456', 'HD-77', 'FT-77']) {
    const { json, text, done } = await paymentFind(workspace, code, {})
    expect({ code, done }).toEqual({ code, done: true })
    expect(json).toMatchObject({
      payments: [
        {
          ...{ ftCode: 'FT-77', partnerClientId: partner.clientId, outcome: 'static_qr' },
          announcements: [{ deviceSerial: 'SB-0001', times: { queued: expect.any(String) } }],
        },
      ],
    })
    expect(text).toMatch(/partner +sbc_\w+ Acme\n.*shop +T-01 Quán Cà Phê Sáng/)
    expect(text).toMatch(/\n {2}SB-0001\n {4}queued 2026-11-20 /)
  }
  expect(await paymentFind(workspace, 'FT-77', { client: 'sbc_other' })).toMatchObject({ done: false })
  expect(await paymentFind(workspace, 'FT-78', {})).toMatchObject({
    done: false,
    json: { code: 'FT-78', payments: [] },
  })
})

it('finds a payment by its id, which tells when it was made, however old it is', async () => {
  const { workspace, partner, api } = await setUp()
  api.clock.set(Date.now() - api.clock.now())
  await partner.logIn()
  const payDate = new Date(api.clock.now()).toISOString()
  await partner.pay({ ftCode: 'FT-OLD', billNumber: 'HD-OLD', payDate })
  const { payments } = Object((await paymentFind(workspace, 'FT-OLD', {})).json)
  api.clock.set(31 * 24 * 60 * MINUTE_MS)
  expect(await paymentFind(workspace, payments[0].id, {})).toMatchObject({ done: true, json: { payments } })
  expect(await paymentFind(workspace, 'HD-OLD', {})).toMatchObject({ done: false })
  expect(await paymentFind(workspace, 'HD-OLD', { since: 0 })).toMatchObject({ done: true })
})

it('lists payments of a day, newest first, and those of a shop', async () => {
  const { workspace, partner, api } = await setUp()
  await partner.pay({ ftCode: 'FT-1' })
  await api.clock.wind(25 * 60 * MINUTE_MS)
  await partner.logIn()
  for (const ftCode of ['FT-2', 'FT-3']) await partner.pay({ ftCode })
  const codes = async (options: Parameters<typeof paymentList>[1]) => {
    const { json } = await paymentList(workspace, options)
    return Array.isArray(json) ? json.map(({ ftCode }) => ftCode) : json
  }
  expect(await codes({})).toEqual(['FT-3', 'FT-2'])
  expect(await codes({ since: 0 })).toEqual(['FT-3', 'FT-2', 'FT-1'])
  expect(await codes({ until: api.clock.now() - 60 * MINUTE_MS })).toEqual(['FT-1'])
  expect(await codes({ since: 0, limit: 1 })).toEqual(['FT-3'])
  expect(await codes({ terminal: 'T-01', serial: 'SB-0001', client: partner.clientId })).toEqual([
    'FT-3',
    'FT-2',
  ])
  expect(await codes({ terminal: 'T-02' })).toEqual([])
  const { text } = await paymentList(workspace, { limit: 1 })
  expect(text).toMatch(/RECEIVED .*\n2026-11-21 \S+ +[\d.]+ đ +T-01 .*FT-3\nThere are more: add --after \d+/)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

it('lists shops with their speakers and totals, and nothing personal', async () => {
  const { workspace, partner } = await setUp()
  await partner.pay()
  const { json, text } = await storeList(workspace, { client: partner.clientId })
  expect(json).toMatchObject([
    {
      terminalID: 'T-01',
      deviceSerials: ['SB-0001'],
      totalTransaction: '1',
      partnerClientId: partner.clientId,
    },
  ])
  expect(text).toMatch(/T-01 +Quán Cà Phê Sáng +sbc_\w{7}… +SB-0001 +1 /)
  for (const personal of ['0901234567', '0123456789', 'NGUYEN VAN A', '079123456789'])
    expect(JSON.stringify(json) + text).not.toContain(personal)
  expect((await storeList(workspace, { terminal: 'T-02' })).text).toBe('No such shop.')
})
