import { expect, it } from 'vitest'
import { type PageRequest, readPages } from '../../../../server/platform/page.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, ownerOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { town, walk } from './lists.ts'

export function deviceListContract(open: OpenStorage) {
  it('lists devices by each filter, newest first', async () => {
    const { shop, mine, one, two, other, lists, storage } = await town(await open())
    const free = await shop.device('FREE-1')
    const gone = await shop.device('GONE-1')
    await storage.devices.revoke(OPERATOR, gone.serial, AT)
    await storage.devices.setActive(byPartner(mine), two.serial, false, AT)
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

  it('tells when devices were last seen: at a birth, a report, or the end of a connection', async () => {
    const { one, two, other, lists, storage } = await town(await open())
    const instants = [one, two, other].map(({ deviceId }, index) => ({
      deviceId,
      at: AT + 1_000 * (index + 1),
    }))
    for (const { deviceId, at } of instants)
      await storage.outbox.begin(ownerOf(deviceId), at, { born: bornWith() })
    await storage.health.record([
      { deviceId: two.deviceId, report: { battery: 1, at: AT + 5_000 } },
      { deviceId: other.deviceId, leftAt: AT + 6_000 },
    ])
    const later = AT + 10_000
    const silent = async (silentSince: number) =>
      (await walk((page) => lists.devices.page({ silentSince }, later, page))).map(
        ({ serial, lastSeenAt = 0 }) => [serial, lastSeenAt - AT],
      )
    expect(await silent(AT + 999)).toEqual([])
    expect(await silent(AT + 1_000)).toEqual([[one.serial, 1_000]])
    expect(await silent(AT + 4_999)).toEqual([[one.serial, 1_000]])
    expect(await silent(AT + 5_000)).toEqual(
      [two, one].map(({ serial }, index) => [serial, [5_000, 1_000][index]]),
    )
    expect((await silent(AT + 6_000))[0]).toEqual([other.serial, 6_000])
  })

  it('lists the few devices that an index finds, by every other field too, and goes on behind any of them', async () => {
    const { shop, mine, one, two, other, lists, storage } = await town(await open())
    const few = [one, two, other]
    const free: string[] = []
    for (const serial of ['AB-1', 'AB-12', 'AB-2', 'ab-1', 'AC-1']) {
      await shop.device(serial)
      free.unshift(serial)
    }
    await storage.devices.setActive(byPartner(mine), one.serial, false, AT)
    await storage.devices.setActive(byPartner(mine), two.serial, false, AT)
    await storage.outbox.begin(ownerOf(one.deviceId), AT, { born: bornWith() })
    await storage.health.record(
      few.map(({ deviceId }, index) => ({ deviceId, report: { battery: 10 + index, at: AT } })),
    )
    const serials = async (filter: Parameters<typeof lists.devices.page>[0]) =>
      (await walk((page) => lists.devices.page(filter, AT, page))).map(({ serial }) => serial)
    expect(await serials({ serialPrefix: 'AB-1' })).toEqual(['AB-12', 'AB-1'])
    expect(await serials({ serialPrefix: 'A' })).toEqual(['AC-1', 'AB-2', 'AB-12', 'AB-1'])
    expect(await serials({ serialPrefix: 'AB-', state: 'locked' })).toEqual([])
    expect(await serials({ serialPrefix: one.serial, connected: true })).toEqual([one.serial])
    expect(await serials({ serialPrefix: one.serial, connected: false })).toEqual([])
    expect(await serials({ state: 'locked', batteryAtMost: 10 })).toEqual([one.serial])
    expect(await serials({ state: 'online', batteryAtMost: 12 })).toEqual([one.serial])
    expect(await serials({ batteryAtMost: 12 })).toEqual([other, two, one].map(({ serial }) => serial))
    expect(await serials({ batteryAtMost: 12, clientId: mine })).toEqual([two.serial, one.serial])
    expect(await serials({ batteryAtMost: 12, storeId: one.storeId })).toEqual([one.serial])
    expect(await serials({ state: 'free' })).toEqual(free)
  })

  it('lists those of a filter that more than a few devices match', async () => {
    const { shop, lists } = await town(await open())
    await Promise.all(Array.from({ length: 1_030 }, (_, n) => shop.device(`MANY-${n}`)))
    for (const filter of [{ serialPrefix: 'MANY-' }, { state: 'free' } as const]) {
      const read = (page: PageRequest) => lists.devices.page(filter, AT, page)
      const { rows } = await readPages(read, { limit: 2_000 })
      expect(new Set(rows.map(({ serial }) => serial)).size).toBe(1_030)
    }
  })

  it('lists a revoked device as revoked alone', async () => {
    const { mine, one, lists, storage } = await town(await open())
    await storage.outbox.begin(ownerOf(one.deviceId), AT, { born: bornWith() })
    await storage.devices.setActive(byPartner(mine), one.serial, false, AT)
    await storage.devices.revoke(OPERATOR, one.serial, AT + 1)
    const isIn = async (filter: Parameters<typeof lists.devices.page>[0]) =>
      (await walk((page) => lists.devices.page(filter, AT, page))).some(({ serial }) => serial === one.serial)
    for (const state of ['online', 'offline', 'locked', 'free'] as const)
      expect([state, await isIn({ state })]).toEqual([state, false])
    for (const filter of [{ connected: true }, { revoked: false }])
      expect([filter, await isIn(filter)]).toEqual([filter, false])
    await storage.health.record([{ deviceId: one.deviceId, leftAt: AT + 2 }])
    expect(await isIn({ silentSince: AT + 9 })).toBe(false)
    expect(await isIn({ state: 'revoked' })).toBe(true)
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
