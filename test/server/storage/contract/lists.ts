import { expect, it } from 'vitest'
import { type Page, type PageRequest, readPages } from '../../../../server/platform/page.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../shop.ts'
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
async function walk<T>(
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
    await storage.stores.update(mine, two.storeId, { storeName: 'Quán Đào 2' }, AT)
    expect(await ids({ storeName: 'pho' })).toEqual([other.storeId, one.storeId])
    expect(await ids({ storeName: 'DAO' })).toEqual([two.storeId])
    expect(await ids({ storeName: 'dao', clientId: foreign })).toEqual([])
    const { rows } = await lists.stores.page({ terminalID: 'T2' }, { limit: 5 })
    expect(rows).toMatchObject([
      { createdAt: AT, serials: [two.serial], store: { totalTransaction: 1n, totalAmount: 70000n } },
    ])
  })

  it('lists devices by each filter, newest first', async () => {
    const { shop, mine, one, two, other, lists, storage } = await town(await open())
    const free = await shop.device('FREE-1')
    const gone = await shop.device('GONE-1')
    await storage.devices.revoke(gone.serial, AT)
    await storage.devices.setActive(mine, two.serial, false, AT)
    const hubSince = AT
    for (const { deviceId } of [one, two, other])
      await storage.outbox.begin(ownerOf(deviceId), AT + 1_000, { born: bornWith({ model: 'M' }) })
    await storage.health.record([
      { deviceId: one.deviceId, report: { battery: 20, signal: -61, volume: 0, at: AT + 5_000 } },
      { deviceId: two.deviceId, report: { battery: 21, at: AT + 5_000 } },
      { deviceId: other.deviceId, leftAt: AT + 9_000 },
    ])
    const serials = async (
      filter: Parameters<typeof lists.devices.page>[0],
      since: number | undefined = hubSince,
    ) => (await walk((page) => lists.devices.page(filter, since, page))).map(({ serial }) => serial)

    expect(await serials({})).toEqual([gone, free, other, two, one].map(({ serial }) => serial))
    expect(await serials({ clientId: mine })).toEqual([two.serial, one.serial])
    expect(await serials({ state: 'online' })).toEqual([two.serial, one.serial])
    expect(await serials({ state: 'offline' })).toEqual([free.serial, other.serial])
    expect(await serials({ state: 'locked' })).toEqual([two.serial])
    expect(await serials({ state: 'free' })).toEqual([free.serial])
    expect(await serials({ state: 'revoked' })).toEqual([gone.serial])
    expect(await serials({ serialPrefix: 'FREE' })).toEqual([free.serial])
    expect(await serials({ batteryAtMost: 20 })).toEqual([one.serial])
    expect(await serials({ silentSince: AT + 9_000 })).toEqual([other.serial])
    expect(await serials({ silentSince: AT + 8_999 })).toEqual([])
    expect(await serials({ clientId: mine, connected: true })).toEqual([two.serial, one.serial])
    expect(await serials({ connected: false, revoked: false })).toEqual([free.serial, other.serial])
    expect(await serials({ clientId: mine, active: false })).toEqual([two.serial])
    expect(await serials({ clientId: mine, active: true })).toEqual([one.serial])
    expect(await serials({ revoked: true })).toEqual([gone.serial])
    expect(await serials({ clientId: mine, storeId: two.storeId })).toEqual([two.serial])
    expect(await serials({ clientId: mine, storeId: other.storeId })).toEqual([])
    // A hub that was started after these births, and none.
    for (const since of [AT + 2_000, Number.MAX_SAFE_INTEGER])
      expect(await serials({ state: 'online' }, since)).toEqual([])
  })

  it('keeps the newest report of a device and the end of its connection, also after reopening', async () => {
    const opened = await open()
    const { one, two, lists, storage } = await town(opened)
    const { deviceId } = one
    await storage.outbox.begin(ownerOf(deviceId), AT + 1_000, {
      born: bornWith({ model: 'M', firmware: '1.0' }),
    })
    await storage.health.record([
      { deviceId, report: { battery: 80, signal: -61, queue: 1, at: AT + 2_000 } },
    ])
    const found = await lists.devices.find(one.serial, AT)
    expect(found).toMatchObject({
      connected: true,
      lastSeenAt: AT + 2_000,
      health: { battery: 80, signal: -61, volume: undefined, queue: 1, reportedAt: AT + 2_000 },
      stores: [{ id: one.storeId, terminalID: 'T1', storeName: 'Phở Hà' }],
    })
    await storage.health.record([
      { deviceId, report: { battery: 79, at: AT + 3_000 } },
      { deviceId: 'unknown', leftAt: AT },
    ])
    await storage.health.record([{ deviceId, leftAt: AT + 4_000 }])
    const again = await (await opened.reopen()).lists.devices.find(one.serial, AT)
    expect(again).toMatchObject({
      connected: false,
      leftAt: AT + 4_000,
      lastSeenAt: AT + 4_000,
      health: { battery: 79, signal: undefined, queue: undefined, reportedAt: AT + 3_000 },
    })
    const untouched = { connected: false, lastSeenAt: undefined, leftAt: undefined, health: undefined }
    expect(await (await opened.reopen()).lists.devices.find(two.serial, AT)).toMatchObject(untouched)
    expect(await (await opened.reopen()).lists.devices.find('SPK-9', AT)).toBeUndefined()
  })

  it('connects a device again by a birth after the end of its connection', async () => {
    const { one, lists, storage } = await town(await open())
    const { deviceId, serial } = one
    await storage.outbox.begin(ownerOf(deviceId), AT + 1_000, { born: bornWith() })
    await storage.health.record([{ deviceId, leftAt: AT + 2_000 }])
    await storage.outbox.begin(ownerOf(deviceId), AT + 3_000, { born: bornWith() })
    expect(await lists.devices.find(serial, AT)).toMatchObject({ connected: true, lastSeenAt: AT + 3_000 })
    // Nobody is connected without a hub, nor to a hub that was started later.
    expect(await lists.devices.find(serial, undefined)).toMatchObject({ connected: false })
    expect(await lists.devices.find(serial, AT + 3_001)).toMatchObject({ connected: false })
  })

  it('stores no end of a connection when another session owns the device', async () => {
    const { one, lists, storage } = await town(await open())
    const { deviceId, serial } = one
    const leftAt = async () => (await lists.devices.find(serial, AT))?.leftAt
    const left = (at: number, sessionId: string) =>
      storage.health.record([{ deviceId, leftAt: AT + at, sessionId }])
    await left(1, 'a')
    expect(await leftAt()).toBe(AT + 1)
    const owner = ownerOf(deviceId)
    await storage.outbox.begin(owner, AT, { born: bornWith() })
    await left(2, 'a')
    expect(await leftAt()).toBe(AT + 1)
    await left(3, owner.sessionId)
    expect(await leftAt()).toBe(AT + 3)
  })

  it('stores a report beside one whose text is no text', async () => {
    const { one, other, lists, storage } = await town(await open())
    const update = { fw: '\0\ud800', state: 'failed', at: AT } as const
    await storage.health.record([
      { deviceId: other.deviceId, update },
      { deviceId: one.deviceId, report: { battery: 50, at: AT } },
    ])
    expect(await lists.devices.find(one.serial, AT)).toMatchObject({ health: { battery: 50 } })
    expect(await lists.devices.find(other.serial, AT)).toMatchObject({ updateProgress: { state: 'failed' } })
  })
}
