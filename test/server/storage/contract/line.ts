import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, ownerOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { town, walk } from './lists.ts'

/** What the first page of the console reads again and again. */
export function lineContract(open: OpenStorage) {
  it('has the newest payments of all partners, with their shops and announcements', async () => {
    const { shop, mine, foreign, one, two, other, lists, storage } = await town(await open())
    expect(await lists.payments.newest({ limit: 5 })).toEqual({ rows: [], next: undefined })
    await payWell(shop, mine, { terminalID: 'T1', ftCode: 'FT1', amount: '1000', receivedAt: AT })
    await payWell(shop, foreign, { terminalID: 'T1', ftCode: 'FT2', amount: '2000', receivedAt: AT + 1 })
    await storage.devices.setActive(byPartner(mine), two.serial, false, AT)
    await payWell(shop, mine, { terminalID: 'T2', ftCode: 'FT3', amount: '3000', receivedAt: AT + 2 })

    const newest = await walk(lists.payments.newest)
    expect(newest).toMatchObject([
      { clientId: mine, terminalID: 'T2', storeId: two.storeId, amount: '3000', receivedAt: AT + 2 },
      { clientId: foreign, terminalID: 'T1', storeId: other.storeId, amount: '2000', storeName: 'Phở Hà' },
      { clientId: mine, terminalID: 'T1', storeId: one.storeId, announcements: [{ serial: one.serial }] },
    ])
    expect(newest.map(({ announcements }) => announcements[0]?.stage)).toEqual([
      ...['suppressed', 'queued', 'queued'],
    ])
    // Nothing that is sealed.
    expect(Object.keys(newest[0] ?? {}).sort()).toEqual([
      ...['amount', 'announcements', 'clientId', 'cursor', 'id', 'receivedAt'],
      ...['storeId', 'storeName', 'terminalID'],
    ])
    const [newestOfAll, , oldest] = newest
    expect(await lists.payments.countAfter(oldest?.cursor ?? '', 10)).toBe(2)
    expect(await lists.payments.countAfter(oldest?.cursor ?? '', 1)).toBe(1)
    expect(await lists.payments.countAfter(newestOfAll?.cursor ?? '', 10)).toBe(0)
  })

  it('tells what became of the newest payments, and when the first speaker had played', async () => {
    const { shop, mine, one, two, lists, storage } = await town(await open())
    await payWell(shop, mine, { terminalID: 'T1', ftCode: 'FT1', receivedAt: AT })
    const [asked] = await storage.outbox.open(one.deviceId, AT)
    await storage.devices.setActive(byPartner(mine), two.serial, false, AT)
    await payWell(shop, mine, { terminalID: 'T2', ftCode: 'FT2', receivedAt: AT + 5 })
    await storage.outbox.recordAck(
      {
        ...{ announcementId: asked?.id ?? '', commandNumber: asked?.n ?? 0, deviceId: one.deviceId },
        ...{ stage: 'played', reason: undefined },
      },
      AT + 2_100,
    )
    expect(await walk(lists.payments.fates)).toMatchObject([
      { receivedAt: AT + 5, stages: ['suppressed'], playedAt: undefined },
      { receivedAt: AT, stages: ['played'], playedAt: AT + 2_100 },
    ])
  })

  it('counts the devices that need somebody as the lists show them, without revoked ones', async () => {
    const { shop, one, two, other, lists, storage } = await town(await open())
    await shop.device('FREE-1')
    const gone = await shop.device('GONE-1')
    for (const { deviceId } of [one, two, other, gone])
      await storage.outbox.begin(ownerOf(deviceId), AT + 1_000, { born: bornWith() })
    await storage.health.record([
      { deviceId: one.deviceId, report: { battery: 15, at: AT + 5_000 } },
      { deviceId: two.deviceId, report: { battery: 16, at: AT + 5_000 } },
      { deviceId: other.deviceId, leftAt: AT + 9_000 },
      { deviceId: gone.deviceId, report: { battery: 3, at: AT + 5_000 } },
    ])
    await storage.devices.revoke(OPERATOR, gone.serial, AT + 6_000)
    const tallied = async (silentSince: number, hubSince: number | undefined = AT) => {
      const sum = { offline: 0, silent: 0, lowBattery: 0 }
      let after: string | undefined
      do {
        const found = await lists.devices.tally({ silentSince, batteryAtMost: 15 }, hubSince, after)
        for (const name of ['offline', 'silent', 'lowBattery'] as const) sum[name] += found.tally[name]
        after = found.next
      } while (after !== undefined)
      return sum
    }
    expect(await tallied(AT + 9_000)).toEqual({ offline: 2, silent: 1, lowBattery: 1 })
    expect(await tallied(AT + 8_999)).toEqual({ offline: 2, silent: 0, lowBattery: 1 })
    for (const state of ['offline', 'online'] as const)
      expect((await walk((page) => lists.devices.page({ state }, AT, page))).length).toBe(2)
    // After a start of the hub nobody is connected yet.
    expect(await tallied(AT + 8_999, AT + 60_000)).toMatchObject({ offline: 4 })
  })

  it('counts no device when there is none', async () => {
    const { lists } = (await open()).storage
    const none = { tally: { offline: 0, silent: 0, lowBattery: 0 }, next: undefined }
    expect(await lists.devices.tally({ silentSince: AT, batteryAtMost: 15 }, AT, undefined)).toEqual(none)
  })
}
