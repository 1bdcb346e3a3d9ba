import { expect, it } from 'vitest'
import { OPERATOR } from '../../../support/actors.ts'
import { type Answer, badFields, createTestApi, stringAt, type TestPartner } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const AT = '2026-11-20T03:00:00.000Z'
const HOUR_MS = 60 * 60_000

const rows = (answer: Answer): Record<string, unknown>[] => Object(answer.body).data
const field = (answer: Answer, name: string) => rows(answer).map((row) => row[name])

/** Two partners; the first has two shops with a speaker each, the other one. */
async function town() {
  const api = createTestApi()
  const [mine, other] = [await api.partner('Mine'), await api.partner('Other')]
  const [one, two, foreign] = [
    await api.device('SB-0001'),
    await api.device('SB-0002'),
    await api.device('XX-0003'),
  ]
  const till = async (partner: TestPartner, device: typeof one, changes: Record<string, string>) =>
    stringAt(await partner.register(device, changes), 'store', 'id')
  const stores = {
    one: await till(mine, one, { terminalID: 'T-01', storeName: 'Quán Cà Phê Đào' }),
    two: await till(mine, two, { terminalID: 'T-02', storeName: 'Bún Chả 2' }),
    foreign: await till(other, foreign, { terminalID: 'T-01', storeName: 'Quán Cà Phê Đào' }),
  }
  await settle()
  const get = (path: string, partner = mine) => partner.call('GET', path)
  return { api, mine, other, one, two, foreign, stores, get }
}

/** All rows of a list, in pages of `limit`; `between` happens after each page. */
async function walk(
  get: (path: string) => Promise<Answer>,
  path: string,
  { limit = 2, between = async (): Promise<unknown> => undefined } = {},
) {
  const all: Record<string, unknown>[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`
    const answer = await get(path + query)
    expect(answer.status).toBe(200)
    const next: string | null = Object(answer.body).next
    if (next !== null) expect(rows(answer)).toHaveLength(limit)
    all.push(...rows(answer))
    cursor = next
    await between()
  }
  return all
}

it("lists a partner's devices by each filter, newest first, as their details", async () => {
  const { api, get, two, stores, mine, other } = await town()
  expect(field(await get('/device'), 'serial')).toEqual(['SB-0002', 'SB-0001'])
  expect(field(await get('/device', other), 'serial')).toEqual(['XX-0003'])
  const detail = await get('/device/SB-0001')
  expect(rows(await get('/device?serial=SB-0001'))).toEqual([detail.body])
  expect(field(await get('/device?serial=SB-'), 'serial')).toEqual(['SB-0002', 'SB-0001'])
  expect(field(await get('/device?serial=XX'), 'serial')).toEqual([])
  expect(field(await get(`/device?storeId=${stores.two}`), 'serial')).toEqual(['SB-0002'])
  expect(field(await get(`/device?storeId=${stores.foreign}`), 'serial')).toEqual([])

  await mine.call('PATCH', '/device/update-status', { devices: [{ deviceSerial: 'SB-0001', active: false }] })
  expect(field(await get('/device?active=false'), 'serial')).toEqual(['SB-0001'])
  expect(field(await get('/device?active=true'), 'serial')).toEqual(['SB-0002'])
  await api.clock.wind(1_000)
  two.leave()
  await settle()
  await api.clock.wind(5_000)
  expect(field(await get('/device?connected=true'), 'serial')).toEqual(['SB-0001'])
  expect(rows(await get('/device?connected=false'))).toMatchObject([{ serial: 'SB-0002', connected: false }])

  await mine.call('POST', '/device/unregister', { deviceSerial: 'SB-0001' })
  expect(field(await get('/device'), 'serial')).toEqual(['SB-0002'])
  await api.storage.devices.revoke(OPERATOR, 'SB-0002', api.clock.now())
  expect(rows(await get('/device'))).toEqual([])
})

it('shows what a device has last said of itself, and null for what it never said', async () => {
  const { api, get } = await town()
  await api.device('FREE-01', { connected: false })
  const nothing = { lastSeenAt: null, model: null, firmware: null, battery: null, reportedAt: null }
  expect((await get('/device/FREE-01')).body).toMatchObject({
    health: { ...nothing, charging: null, signal: null, volume: null },
  })
  const found = await api.storage.devices.credentials('SB-0001')
  if (!found) throw new Error('the device exists')
  const report = { battery: 87, charging: false, signal: -61, at: api.clock.now() }
  await api.storage.health.record([{ deviceId: found.deviceId, report }])
  const health = { battery: 87, charging: false, signal: -61, volume: null, reportedAt: AT, lastSeenAt: AT }
  expect((await get('/device/SB-0001')).body).toMatchObject({ health })
  expect(rows(await get('/device?serial=SB-0001'))).toMatchObject([{ health }])
})

it("lists a partner's stores by till and by a part of the name, and finds one", async () => {
  const { get, stores, other } = await town()
  expect(field(await get('/store'), 'id')).toEqual([stores.two, stores.one])
  expect(field(await get('/store?terminalID=T-01'), 'id')).toEqual([stores.one])
  expect(field(await get('/store?terminalID=T-01', other), 'id')).toEqual([stores.foreign])
  for (const name of ['ca phe', 'dao', 'CÀ PHÊ ĐÀO', 'đ'])
    expect(field(await get(`/store?storeName=${encodeURIComponent(name)}`), 'id')).toEqual([stores.one])
  expect(field(await get('/store?storeName=a'), 'id')).toEqual([stores.two, stores.one])
  const found = await get(`/store/${stores.one}`)
  expect(found.body).toEqual(rows(await get('/store?terminalID=T-01'))[0])
  for (const absent of [stores.foreign, 'unknown'])
    expect((await get(`/store/${absent}`)).body).toMatchObject({ code: 40402 })
})

it('searches payments by each filter, as their details', async () => {
  const { api, mine, other, get, stores } = await town()
  await mine.pay({ ftCode: 'FT1', transactionAmount: '10000', billNumber: 'B1' })
  await api.clock.wind(HOUR_MS)
  await Promise.all([mine.logIn(), other.logIn()])
  await mine.pay({
    ftCode: 'FT2',
    terminalID: 'T-02',
    transactionAmount: '20000',
    bankCode: 'VCB',
    billNumber: '',
  })
  await mine.pay({ ftCode: '', traceTransfer: 'TR3', transactionAmount: '30000', billNumber: '' })
  await other.pay({ ftCode: 'FT4', transactionAmount: '40000' })
  await settle()
  const path = '/payment/transactions'
  const amounts = async (query: string) => field(await get(`${path}${query}`), 'transactionAmount')
  const id = String(rows(await get(`${path}?traceTransfer=TR3`))[0]?.id)
  const table: [query: string, amounts: string[]][] = [
    ['', ['30000', '20000', '10000']],
    ['?terminalID=T-02', ['20000']],
    [`?storeId=${stores.one}`, ['30000', '10000']],
    [`?storeId=${stores.foreign}`, []],
    ['?bankCode=VCB', ['20000']],
    ['?billNumber=B1', ['10000']],
    ['?ftCode=FT2', ['20000']],
    ['?ftCode=FT4', []],
    ['?traceTransfer=TR3', ['30000']],
    [`?id=${id}`, ['30000']],
    ['?minAmount=20000', ['30000', '20000']],
    ['?maxAmount=20000', ['20000', '10000']],
    ['?minAmount=20000&maxAmount=20000', ['20000']],
    ['?outcome=static_qr', ['30000', '20000', '10000']],
    ['?outcome=bill_paid', []],
    ['?stage=played', ['30000', '20000', '10000']],
    ['?stage=expired', []],
    ['?from=2026-11-20T04:00:00Z', ['30000', '20000']],
    ['?to=2026-11-20T04:00:00Z', ['10000']],
    ['?from=2026-11-20T10:00:00%2B07:00&to=2026-11-20T11:00:00%2B07:00', ['10000']],
    ['?from=2026-11-20T03:00:00.001Z&to=2026-11-20T04:00:00Z', []],
  ]
  for (const [query, expected] of table) expect([query, await amounts(query)]).toEqual([query, expected])
  expect(rows(await get(`${path}?ftCode=FT1`))).toEqual([(await get(`${path}/FT1`)).body])

  await api.clock.wind(23.5 * HOUR_MS)
  await mine.logIn()
  expect(await amounts('')).toEqual(['30000', '20000'])
  expect(await amounts('?to=2026-11-20T03:30:00Z')).toEqual(['10000'])
  expect(await amounts('?from=2026-11-20')).toEqual(['30000', '20000', '10000'])
})

it('walks whole lists while rows are added, also when the default time goes on', async () => {
  const { api, mine, get } = await town()
  for (let n = 0; n < 7; n += 1) await mine.pay({ ftCode: `FT${n}`, transactionAmount: String(n + 1) })
  const expected = ['7', '6', '5', '4', '3', '2', '1']
  await api.clock.wind(24 * HOUR_MS)
  await mine.logIn()
  let more = 0
  const all = await walk(get, '/payment/transactions', {
    async between() {
      await api.clock.wind(60_000)
      more += 1
      await mine.pay({ ftCode: `NEW${more}`, transactionAmount: '99' })
    },
  })
  expect(all.map(({ transactionAmount }) => transactionAmount)).toEqual(expected)
  expect((await walk(get, '/device', { limit: 1 })).map(({ serial }) => serial)).toEqual([
    'SB-0002',
    'SB-0001',
  ])
  expect(await walk(get, '/store', { limit: 1 })).toHaveLength(2)
  expect(await walk(get, '/payment/summary?date=2026-11-21', { limit: 1 })).toHaveLength(1)
})

it("sums up a zone's day by store: the six results add up to the whole", async () => {
  const { api, mine, one, two, get, stores, other } = await town()
  await mine.pay({ ftCode: 'FT1', transactionAmount: '1000' })
  await settle()
  one.leave()
  await settle()
  await mine.pay({ ftCode: 'FT2', transactionAmount: '20000' })
  await mine.call('PATCH', '/device/update-status', {
    devices: [{ deviceSerial: two.serial, active: false }],
  })
  await mine.pay({ ftCode: 'FT3', terminalID: 'T-02', transactionAmount: '300000' })
  await other.pay({ ftCode: 'FT4' })
  const none = { count: 0, amount: '0' }
  const byStore = rows(await get('/payment/summary'))
  // By their ids, and those of one millisecond have no order.
  expect(byStore.toSorted((a, b) => Number(b.amount) - Number(a.amount))).toEqual([
    {
      ...{ storeId: stores.two, terminalID: 'T-02', storeName: 'Bún Chả 2', count: 1, amount: '300000' },
      ...{ played: none, missed: none, suppressed: { count: 1, amount: '300000' }, failed: none, open: none },
      delivered: none,
    },
    {
      ...{ storeId: stores.one, terminalID: 'T-01', storeName: 'Quán Cà Phê Đào', count: 2, amount: '21000' },
      played: { count: 1, amount: '1000' },
      ...{ missed: none, suppressed: none, failed: none, open: { count: 1, amount: '20000' } },
      delivered: none,
    },
  ])
  expect(rows(await get(`/payment/summary?storeId=${stores.one}`))).toHaveLength(1)
  expect(rows(await get(`/payment/summary?storeId=${stores.foreign}`))).toEqual([])
  // It is 10:00 in Vietnam, and 17:00 of the day before in Honolulu.
  expect(rows(await get('/payment/summary?date=2026-11-20'))).toHaveLength(2)
  expect(rows(await get('/payment/summary?date=2026-11-20&zone=Pacific/Honolulu'))).toEqual([])
  expect(rows(await get('/payment/summary?zone=Pacific/Honolulu'))).toHaveLength(2)
  await api.clock.wind(14 * HOUR_MS)
  await mine.logIn()
  expect(rows(await get('/payment/summary'))).toEqual([])
})

it.each([
  ['/device', 'limit=0', 'limit'],
  ['/device', 'limit=101', 'limit'],
  ['/device', 'limit=', 'limit'],
  ['/device', 'limit=1&limit=2', 'limit'],
  ['/device', 'cursor=garbage', 'cursor'],
  ['/device', 'cursor=cGF5bWVudHMgMQ', 'cursor'],
  ['/device', 'connected=yes', 'connected'],
  ['/device', 'active=1', 'active'],
  ['/device', 'serial=%25', 'serial'],
  ['/device', 'colour=red', 'colour'],
  ['/store', 'terminalID=', 'terminalID'],
  ['/store', 'storeName=%20', 'storeName'],
  ['/store', 'storeName=%CC%81', 'storeName'],
  ['/store', 'cursor=*', 'cursor'],
  ['/payment/transactions', 'from=yesterday', 'from'],
  ['/payment/transactions', 'to=2026-02-30', 'to'],
  ['/payment/transactions', 'from=2026-11-21&to=2026-11-20', 'to'],
  ['/payment/transactions', 'minAmount=1.5', 'minAmount'],
  ['/payment/transactions', 'minAmount=2&maxAmount=1', 'maxAmount'],
  ['/payment/transactions', 'outcome=paid', 'outcome'],
  ['/payment/transactions', 'stage=gone', 'stage'],
  ['/payment/transactions', 'bankCode=%C4%90', 'bankCode'],
  ['/payment/transactions', 'cursor=ZGV2aWNlcyAx', 'cursor'],
  ['/payment/summary', 'date=2026-02-29', 'date'],
  ['/payment/summary', 'zone=%2B07:00', 'zone'],
  ['/payment/summary', 'zone=Asia/Nowhere', 'zone'],
  ['/payment/transactions', 'zone=%2B07:00', 'zone'],
  ['/payment/summary', 'cursor=cGF5bWVudHMgMQ', 'cursor'],
  // A date that there is not, in a cursor that nobody was given.
  ['/payment/summary', 'cursor=c3VtbWFyeSAwMWEyIDIwMjYtOTktOTk', 'cursor'],
])('%s?%s is 40001 and names %s', async (path, query, wrong) => {
  const partner = await createTestApi().partner()
  const answer = await partner.call('GET', `${path}?${query}`)
  expect(answer.body).toMatchObject({ code: 40001 })
  expect(badFields(answer)).toEqual([wrong])
})
