import { expect, it } from 'vitest'
import { type Page, type PageRequest, readPages } from '../../../../server/platform/page.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, createShop, payWell } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const HOUR_MS = 60 * 60_000

/** Two partners; the first has two tills and a speaker for each. */
export async function town({ storage }: Pick<Opened, 'storage'>) {
  const shop = createShop(storage)
  const [mine, foreign] = [await shop.partner(), await shop.partner()]
  const one = await shop.speaker(mine, 'T1')
  const two = await shop.speaker(mine, 'T2')
  const other = await shop.speaker(foreign, 'T1')
  return { shop, mine, foreign, one, two, other, lists: storage.lists, storage }
}

/** Walks a list in pages of two. `between` happens after each page. */
export async function walk<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  between: () => Promise<unknown> = async () => undefined,
) {
  const all: Page<T>['rows'] = []
  let after: string | undefined
  do {
    const { rows, next } = await readPages(read, { limit: 2, after })
    all.push(...rows)
    // The cursor of the last row continues like the page's own.
    after = next === undefined ? undefined : (rows.at(-1)?.cursor ?? next)
    await between()
  } while (after !== undefined)
  return all
}

export function listContract(open: OpenStorage) {
  it('lists payments newest first by each filter, with their announcements', async () => {
    const { shop, mine, foreign, one, two, lists } = await town(await open())
    const paid = [
      [mine, { terminalID: 'T1', ftCode: 'FT1', receivedAt: AT }],
      [mine, { terminalID: 'T2', ftCode: 'FT2', receivedAt: AT + HOUR_MS, traceTransfer: '777' }],
      [foreign, { terminalID: 'T1', ftCode: 'FT1', receivedAt: AT + 2 * HOUR_MS, billNumber: 'B7' }],
      [mine, { terminalID: 'T1', ftCode: 'FT4', receivedAt: AT + 3 * HOUR_MS }],
    ] as const
    for (const [clientId, change] of paid) await payWell(shop, clientId, change)
    const codes = async (filter: Parameters<typeof lists.payments.page>[0]) =>
      (await walk((page) => lists.payments.page(filter, page))).map(({ payment }) => payment.ftCode)

    expect(await codes({})).toEqual(['FT4', 'FT1', 'FT2', 'FT1'])
    expect(await codes({ clientId: mine })).toEqual(['FT4', 'FT2', 'FT1'])
    expect(await codes({ storeId: two.storeId })).toEqual(['FT2'])
    expect(await codes({ terminalID: 'T1' })).toEqual(['FT4', 'FT1', 'FT1'])
    expect(await codes({ serial: one.serial })).toEqual(['FT4', 'FT1'])
    expect(await codes({ from: AT + HOUR_MS })).toEqual(['FT4', 'FT1', 'FT2'])
    expect(await codes({ until: AT + HOUR_MS })).toEqual(['FT1'])
    expect(await codes({ from: AT + HOUR_MS, until: AT + 3 * HOUR_MS, clientId: mine })).toEqual(['FT2'])
    expect(await codes({ code: '777' })).toEqual(['FT2'])
    expect(await codes({ code: 'B7' })).toEqual(['FT1'])
    expect(await codes({ code: 'B7', clientId: mine })).toEqual([])

    const [newest] = (await lists.payments.page({}, { limit: 1 })).rows
    expect(newest).toMatchObject({ outcome: 'static_qr', announcements: [{ serial: one.serial }] })
    expect(await codes({ code: newest?.payment.id })).toEqual(['FT4'])
  })

  it("finds the payments of one ftCode, whoever's they are", async () => {
    const { shop, mine, foreign, lists } = await town(await open())
    for (const clientId of [mine, foreign]) await payWell(shop, clientId, { ftCode: 'FT1' })
    const found = await lists.payments.findByFtCode('FT1')
    expect(found.map(({ payment }) => payment.clientId).sort()).toEqual([mine, foreign].sort())
    expect(await lists.payments.findByFtCode('FT2')).toEqual([])
    // Of many of one partner, the newest twenty, of which the last is the newest.
    for (let n = 0; n < 21; n += 1) await payWell(shop, mine, { ftCode: 'FT3', bankCode: `B${(n * 8) % 21}` })
    const many = (await lists.payments.findByFtCode('FT3')).map(({ payment }) => payment.bankCode)
    expect(many).toEqual(Array.from({ length: 20 }, (_, n) => `B${((n + 1) * 8) % 21}`))
  })

  it('gives every payment that was there at the start exactly once, while more come', async () => {
    const { shop, mine, lists } = await town(await open())
    for (let n = 0; n < 7; n += 1) await payWell(shop, mine, { ftCode: `FT${n}` })
    const all = await walk(
      (page) => lists.payments.page({}, page),
      () => payWell(shop, mine),
    )
    expect(all.map(({ payment }) => payment.ftCode)).toEqual([
      'FT6',
      'FT5',
      'FT4',
      'FT3',
      'FT2',
      'FT1',
      'FT0',
    ])
  })

  it("lists a device's announcements, newest first, from an instant on", async () => {
    const { shop, mine, one, lists } = await town(await open())
    for (const n of [1, 2, 3]) await payWell(shop, mine, { ftCode: `FT${n}`, receivedAt: AT + n * HOUR_MS })
    await payWell(shop, mine, { terminalID: 'T2' })
    const read = (from: number) => walk((page) => lists.announcements.ofDevice(one, from, page))
    expect(await read(AT)).toMatchObject([{ n: 3 }, { n: 2 }, { n: 1 }])
    expect(await read(AT + 2 * HOUR_MS)).toMatchObject([
      { n: 3, serial: one.serial, stage: 'queued', times: { queued: AT + 3 * HOUR_MS } },
      { n: 2 },
    ])
  })

  it('lists stores by partner, till and name, with their speakers and totals', async () => {
    const { shop, mine, foreign, one, two, other, lists, storage } = await town(await open())
    await payWell(shop, mine, { terminalID: 'T2', amount: '70000' })
    const ids = async (filter: Parameters<typeof lists.stores.page>[0]) =>
      (await walk((page) => lists.stores.page(filter, page))).map(({ store }) => store.id)
    expect(await ids({})).toEqual([other.storeId, two.storeId, one.storeId])
    expect(await ids({ clientId: mine })).toEqual([two.storeId, one.storeId])
    expect(await ids({ terminalID: 'T1' })).toEqual([other.storeId, one.storeId])
    expect(await ids({ terminalID: 'T1', clientId: foreign })).toEqual([other.storeId])
    await storage.stores.update(byPartner(mine), two.storeId, { storeName: 'Quán Đào 2' }, AT)
    expect(await ids({ storeName: 'pho' })).toEqual([other.storeId, one.storeId])
    expect(await ids({ storeName: 'DAO' })).toEqual([two.storeId])
    expect(await ids({ storeName: 'dao', clientId: foreign })).toEqual([])
    const { rows } = await lists.stores.page({ terminalID: 'T2' }, { limit: 5 })
    expect(rows).toMatchObject([
      { createdAt: AT, serials: [two.serial], store: { totalTransaction: 1n, totalAmount: 70000n } },
    ])
  })

  it('lists the speakers of a store and their announcements in the order in which they were made', async () => {
    const { shop, mine, one, lists } = await town(await open())
    const second = await shop.speaker(mine, 'T1')
    await payWell(shop, mine, { ftCode: 'FT1' })
    const both = [one.serial, second.serial]
    expect((await lists.stores.page({ terminalID: 'T1', clientId: mine }, { limit: 5 })).rows).toMatchObject([
      { serials: both },
    ])
    const { rows } = await lists.payments.page({ clientId: mine }, { limit: 5 })
    expect(rows).toMatchObject([{ announcements: both.map((serial) => ({ serial })) }])
    const filter = { clientId: mine, from: AT, until: AT + 1, leastStoreId: '', belowStoreId: '~' }
    expect(await lists.payments.addUp(filter, undefined)).toMatchObject({
      sums: [{ storeId: one.storeId, stages: ['queued'], count: 1 }],
    })
  })
}
