import { describe, expect, it } from 'vitest'
import { ACCOUNT, csvOf, HOSTILE, NOTICE, rowsOf, shopConsole } from './shop.ts'

const AT = Date.parse('2026-11-20T03:00:00Z')
const HOUR_MS = 60 * 60_000
const DATE = 'date=2026-11-20'

/** Two shops with payments around the midnights of two zones. */
async function dayConsole() {
  const world = await shopConsole()
  const { shop, clientId, pay, storage, hub, speaker } = world
  await shop.speaker(clientId, 'T2')
  await storage.stores.update(hub, speaker.storeId, { storeName: HOSTILE.replaceAll('"', '') }, AT)
  // 2026-11-20 is from 17:00 of the day before until 17:00 in Vietnam.
  for (const [n, [hours, amount, terminalID]] of (
    [
      [0, '1000', 'T1'],
      [0, '9999999999999', 'T1'],
      [1, '20', 'T2'],
      [13.99, '300', 'T1'],
      [14, '4000', 'T1'],
      [-10, '50000', 'T2'],
      [-10.01, '600000', 'T2'],
    ] as const
  ).entries())
    await pay({ receivedAt: AT + hours * HOUR_MS, amount, terminalID, ftCode: `FT${n}` })
  return { ...world, viewer: await world.logIn('viewer') }
}

describe('the day', () => {
  it('has the sums of its shops in its zone, and its file has the rows of the page with date and zone', async () => {
    const { viewer, storage } = await dayConsole()
    for (const isSummedUp of [false, true]) {
      if (isSummedUp) {
        await storage.outbox.expire(AT + 100 * HOUR_MS)
        await storage.payments.sumUp(AT + 100 * HOUR_MS)
      }
      const page = await (await viewer.get(`/day?${DATE}`)).text()
      expect(page).toContain('10.000.000.051.319 đ')
      expect(page).toContain('The shops below add up to the total.')
      const file = await viewer.get(`/day?${DATE}&as=csv`)
      expect(file.headers.get('content-disposition')).toContain('day-2026-11-20-Asia-Ho_Chi_Minh.csv')
      const rows = await csvOf(file)
      expect(
        rows.map(({ terminalID, count, amount, date, zone }) => [terminalID, count, amount, date, zone]),
      ).toEqual([
        ['T2', '2', '50020', '2026-11-20', 'Asia/Ho_Chi_Minh'],
        ['T1', '3', '10000000001299', '2026-11-20', 'Asia/Ho_Chi_Minh'],
      ])
      expect(rows.map(({ missed }) => missed)).toEqual(isSummedUp ? ['2', '3'] : ['0', '0'])
      expect(rowsOf(page).map((cells) => [cells[1], cells[3], cells[4]])).toEqual([
        ['T2', '2', '50.020 đ'],
        ['T1', '3', '10.000.000.001.299 đ'],
      ])
      const [utc] = await csvOf(await viewer.get(`/day?${DATE}&zone=UTC&as=csv`))
      expect(utc).toMatchObject({ terminalID: 'T2', count: '1', amount: '20', zone: 'UTC' })
    }
  })

  it('leads to the day before and after, and to nothing that is no day', async () => {
    const { viewer } = await dayConsole()
    const page = await (await viewer.get(`/day?${DATE}&zone=UTC`)).text()
    expect(page).toContain('href="/day?date=2026-11-19&amp;zone=UTC"')
    expect(page).toContain('href="/day?date=2026-11-21&amp;zone=UTC"')
    for (const query of [
      'date=2026-02-30',
      'date=x',
      'zone=Mars/Phobos',
      `zone=${encodeURIComponent(HOSTILE)}`,
    ])
      expect((await viewer.get(`/day?${query}`)).status).toBe(400)
  })

  it('shows of several partners the sum of each, and of one its shops', async () => {
    const { viewer, shop } = await dayConsole()
    const other = await shop.partner('sbc_2')
    await shop.speaker(other, 'T1')
    await shop.pay(other, { receivedAt: AT, amount: '7' })
    const rows = await csvOf(await viewer.get(`/day?${DATE}&as=csv`))
    expect(rows.map(({ partner, count, amount }) => [partner, count, amount])).toEqual([
      ['sbc_1', '5', '10000000051319'],
      ['sbc_2', '1', '7'],
    ])
    const own = await csvOf(await viewer.get(`/day?${DATE}&partner=sbc_2&as=csv`))
    expect(own).toMatchObject([{ terminalID: 'T1', amount: '7' }])
    expect(await csvOf(await viewer.get(`/day?${DATE}&partner=none&as=csv`))).toEqual([])
  })

  it('finds the shops of an account, whose number it hides', async () => {
    const { viewer } = await dayConsole()
    for (const [account, count] of [
      [ACCOUNT, 2],
      ['4567', 2],
      ['9', 0],
    ] as const) {
      const rows = await csvOf(await viewer.get(`/day?${DATE}&account=${account}&as=csv`))
      expect(rows).toHaveLength(count)
    }
    const page = await (await viewer.get(`/day?${DATE}`)).text()
    expect(page).toContain('•••4567')
    for (const secret of [ACCOUNT, NOTICE, '<script>alert', '<img src=x']) expect(page).not.toContain(secret)
  })

  it('walks through its shops page by page', async () => {
    const { shop, clientId, logIn } = await shopConsole()
    for (let n = 100; n < 170; n += 1) {
      await shop.speaker(clientId, `T${n}`)
      await shop.pay(clientId, { terminalID: `T${n}`, receivedAt: AT })
    }
    const viewer = await logIn('viewer')
    const seen: (string | undefined)[] = []
    let path: string | undefined = `/day?${DATE}`
    while (path) {
      const page: string = await (await viewer.get(path)).text()
      seen.push(...rowsOf(page).map((cells) => cells[1]))
      path = /rel="next" href="(\/day\?[^"]*before[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 70 }, (_, n) => `T${169 - n}`))
  })
})
