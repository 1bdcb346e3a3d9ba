import { expect, it, onTestFinished } from 'vitest'
import { type Answer, createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import { until } from '../../../support/wait.ts'

const CSV = { Accept: 'text/csv' }

/** Reads RFC 4180, apart from the code that writes it: test/whole/server/platform/csv.test.ts asks Python as well. */
function table(text: string): string[][] {
  const lines = [...text.matchAll(/((?:"(?:[^"]|"")*"|[^,"\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^,"\r\n]*))*)\r\n/g)]
  expect(lines.map(([whole]) => whole).join('')).toBe(text)
  return lines.map(([, line = '']) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain = '']) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    ),
  )
}

async function world(isFinishing = () => false) {
  const nothing = () => undefined
  const { api, partner, device } = await createTestShop({
    connections: { belongsTo: nothing, rests: nothing, holdOff: nothing, isFinishing },
  })
  // What its speaker says would change the rows meanwhile.
  device.leave()
  return { api, partner }
}

/** The cells of a payment with one speaker. */
function heard(announcements: unknown) {
  const { deviceSerial, stage, times } = Object(announcements)[0]
  return { deviceSerial, stage, playedAt: times.played ?? '' }
}

const dataOf = (answer: Answer): Record<string, unknown>[] => Object(answer.body).data

it('writes exactly the payments of the search, all pages, as a file that tells its end', async () => {
  const { partner } = await world()
  for (let n = 0; n < 55; n += 1) await partner.pay({ ftCode: `FT${n}`, transactionAmount: String(1000 + n) })
  await settle()
  const path = '/payment/transactions?minAmount=1010'
  const file = await partner.call('GET', `${path}&limit=1`, undefined, CSV)
  expect(file.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
  expect(file.headers.get('Vary')).toBe('Accept')
  const [header = [], ...lines] = table(file.text)
  expect(lines.pop()).toEqual(['# rows', '45'])
  const first = await partner.call('GET', `${path}&limit=30`)
  const second = await partner.call('GET', `${path}&limit=30&cursor=${Object(first.body).next}`)
  const listed = [...dataOf(first), ...dataOf(second)]
  const written = lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index]])))
  expect(written).toEqual(
    listed.map(({ announcements, ...payment }) => ({
      ...payment,
      ...heard(announcements),
    })),
  )
})

it('writes the summary of a day as a file', async () => {
  const { partner } = await world()
  await partner.pay({ transactionAmount: '9999999999999' })
  await settle()
  const file = await partner.call('GET', '/payment/summary', undefined, CSV)
  const [header, row, end] = table(file.text)
  expect(header?.slice(0, 7)).toEqual([
    ...['storeId', 'terminalID', 'storeName', 'count', 'amount', 'playedCount', 'playedAmount'],
  ])
  expect(row?.slice(1, 7)).toEqual(['T-01', 'Quán Cà Phê Sáng', '1', '9999999999999', '0', '0'])
  expect(header?.slice(-6)).toEqual([
    ...['openCount', 'openAmount', 'date', 'zone', 'deliveredCount', 'deliveredAmount'],
  ])
  expect(row?.slice(-6)).toEqual(['1', '9999999999999', '2026-11-20', 'Asia/Ho_Chi_Minh', '0', '0'])
  const { body } = await partner.call('GET', '/payment/summary')
  expect(body).toMatchObject({ date: '2026-11-20', zone: 'Asia/Ho_Chi_Minh' })
  expect(end).toEqual(['# rows', '1'])
})

it('says the day of a summary in which no shop was paid', async () => {
  const { partner } = await world()
  const path = '/payment/summary?date=2026-11-01&zone=America/Argentina/Buenos_Aires'
  const file = await partner.call('GET', path, undefined, CSV)
  expect(file.text).toMatch(/^storeId,.*\r\n# rows,0\r\n$/)
  expect(file.headers.get('Content-Disposition')).toBe(
    'attachment; filename="summary-2026-11-01-America-Argentina-Buenos_Aires.csv"',
  )
  expect((await partner.call('GET', path)).body).toEqual({
    ...{ date: '2026-11-01', zone: 'America/Argentina/Buenos_Aires', data: [], next: null },
  })
})

it('keeps the day of a summary over its pages', async () => {
  const { partner } = await world()
  await partner.pay()
  const { body } = await partner.call('GET', '/payment/summary?date=2026-11-20&limit=1&zone=UTC')
  expect(body).toMatchObject({ date: '2026-11-20', zone: 'UTC', data: [{ count: 1 }] })
})

it.each([
  [
    '',
    /^2026-11-20T\d\d:\d\d:\d\d\.\d{3}Z$/,
    /^payments-2026-11-19T\d{4}\+0000-2026-11-20T\d{4}\+0000\.csv$/,
  ],
  [
    '&zone=Asia/Ho_Chi_Minh&from=2026-11-20&to=2026-11-21T12:00',
    /^2026-11-20T\d\d:\d\d:\d\d\.\d{3}\+07:00$/,
    /^payments-2026-11-20T0000\+0700-2026-11-21T1200\+0700\.csv$/,
  ],
])('writes the times of a file with the offset of its zone, and names it: %s', async (query, time, name) => {
  const { partner } = await world()
  await partner.pay()
  await settle()
  const file = await partner.call('GET', `/payment/transactions?minAmount=1${query}`, undefined, CSV)
  const [header = [], row = []] = table(file.text)
  const cell = (column: string) => row[header.indexOf(column)] ?? ''
  expect(cell('receivedAt')).toMatch(time)
  const listed = dataOf(await partner.call('GET', `/payment/transactions?minAmount=1${query}`))[0]
  for (const column of ['receivedAt', 'payDate'])
    expect(Date.parse(cell(column))).toBe(Date.parse(String(listed?.[column])))
  const [, named] = /^attachment; filename="(.*)"$/.exec(file.headers.get('Content-Disposition') ?? '') ?? []
  expect(named).toMatch(name)
})

it.each(['/payment/transactions', '/payment/summary'])(
  'begins a file with a byte order mark only when asked for one: %s',
  async (path) => {
    const { api, partner } = await world()
    const bytes = async (query: string, accept = CSV) => {
      const headers = { ...accept, Authorization: `Bearer ${partner.token}` }
      const request = new Request(`http://localhost/api/v1/partner${path}${query}`, { headers })
      return Buffer.from(await (await api.fetch(request)).arrayBuffer()).toString('latin1')
    }
    const plain = await bytes('')
    expect(plain).toMatch(/^[a-zA-Z]+,/)
    expect(await bytes('?bom=false')).toBe(plain)
    expect(await bytes('?bom=true')).toBe(`\u00ef\u00bb\u00bf${plain}`)
    expect(await bytes('?bom=true', { Accept: 'application/json' })).toMatch(/^\{/)
    expect(await bytes('?bom=1')).toContain('40001')
  },
)

it.each([
  ['text/csv', true],
  ['text/csv;q=0.5, application/json', false],
  ['application/json;q=0.5, text/csv', true],
  ['*/*', false],
  ['text/html', false],
])('answers Accept: %s with CSV: %s', async (Accept, isCsv) => {
  const { partner } = await world()
  const answer = await partner.call('GET', '/payment/transactions', undefined, { Accept })
  expect(answer.headers.get('Content-Type')?.startsWith('text/csv')).toBe(isCsv)
})

it('refuses a wrong filter as JSON', async () => {
  const { partner } = await world()
  const answer = await partner.call('GET', '/payment/transactions?stage=x', undefined, CSV)
  expect(answer.body).toMatchObject({ code: 40001 })
})

/** A partner's file of payments that never ends; `pages` are those that were read. */
async function endless() {
  const state = { pages: 0, rows: 40, error: undefined as Error | undefined, stops: false }
  const { api, partner } = await world(() => state.stops)
  await partner.pay()
  await settle()
  const { payments } = api.storage.lists
  const [row] = (await payments.page({}, { limit: 1 })).rows
  if (!row) throw new Error('there is a payment')
  payments.page = async () => {
    state.pages += 1
    if (state.error) throw state.error
    return { rows: Array.from({ length: state.rows }, () => row), next: '1' }
  }
  const open = () =>
    api.fetch(
      new Request('http://localhost/api/v1/partner/payment/transactions', {
        headers: { ...CSV, Authorization: `Bearer ${partner.token}` },
      }),
    )
  return { state, open }
}

it('breaks off when the storage fails, and answers with an error when that is before the first row', async () => {
  const { state, open } = await endless()
  const reader = (await open()).body?.getReader()
  await reader?.read()
  state.error = new Error('the disk is gone')
  const rest = async () => {
    while (!(await reader?.read())?.done);
  }
  await expect(rest()).rejects.toThrow('the disk is gone')
  expect((await open()).status).toBe(500)
})

it('breaks off before the last line when the hub stops', async () => {
  const { state, open } = await endless()
  const reader = (await open()).body?.getReader()
  await reader?.read()
  state.stops = true
  const rest = async () => {
    while (!(await reader?.read())?.done);
  }
  await expect(rest()).rejects.toThrow('the hub stops')
})

it('reads only as the client reads, and no further when the client has gone', async () => {
  const { state, open } = await endless()
  const reader = (await open()).body?.getReader()
  await settle()
  expect(state.pages).toBe(1)
  for (let parts = 0; parts < 20; parts += 1) await reader?.read()
  await settle()
  expect(state.pages).toBeLessThanOrEqual(21)
  const { pages } = state
  await reader?.cancel()
  await settle()
  expect(state.pages).toBe(pages)
})

it('reads pages without rows only while the client waits and the hub runs', async () => {
  const { state, open } = await endless()
  onTestFinished(() => {
    state.error = new Error('the test is over')
  })
  state.rows = 0
  const [left, stopped] = [(await open()).body?.getReader(), (await open()).body?.getReader()]
  await left?.read()
  void left?.read()
  await until('more than ten pages', () => state.pages > 10)
  await left?.cancel()
  await settle()
  const { pages } = state
  await settle()
  expect(state.pages).toBe(pages)

  await stopped?.read()
  const rest = stopped?.read()
  await until('more than ten more', () => state.pages > pages + 10)
  state.stops = true
  await expect(rest).rejects.toThrow('the hub stops')
})
