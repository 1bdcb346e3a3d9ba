import { describe, expect, it } from 'vitest'
import type { EventType } from '../../../../server/events/event.ts'
import { isoInstant } from '../../../../server/platform/clock.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, createShop, ownerOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { dataOf, eventsOf, typesOf } from './events.ts'

export function deviceEventContract(open: OpenStorage) {
  async function world() {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const speaker = await shop.speaker(clientId)
    const [registered] = await eventsOf(storage, clientId)
    const read = (more: Parameters<typeof eventsOf>[2] = {}) =>
      eventsOf(storage, clientId, { after: registered?.seq ?? 0, ...more })
    return { storage, shop, clientId, speaker, read }
  }

  it('tells what became of a device', async () => {
    const { storage, shop, clientId, speaker, read } = await world()
    const { serial: deviceSerial, deviceId } = speaker
    const [registered] = await eventsOf(storage, clientId)
    expect(registered).toMatchObject({ type: 'device.registered', at: AT })
    expect(registered?.data).toEqual({ deviceSerial, storeId: speaker.storeId })
    const { devices, settings } = storage
    await devices.setActive(byPartner(clientId), deviceSerial, false, AT + 1)
    await devices.setActive(byPartner(clientId), deviceSerial, false, AT + 2)
    await devices.setActive(byPartner(clientId), deviceSerial, true, AT + 3)
    await settings.report(deviceId, { ver: 1, volume: 70, lang: 'vi' }, AT + 4)
    await settings.report(deviceId, { ver: 1, volume: 70, lang: 'vi' }, AT + 5)
    await settings.report(deviceId, { ver: 2, volume: 70, lang: 'en' }, AT + 6)
    await devices.unregister(byPartner(clientId), deviceSerial, AT + 7)
    await settings.report(deviceId, { ver: 3, volume: 70, lang: 'en' }, AT + 8)
    const other = await shop.speaker(clientId, 'T2', AT + 9)
    await devices.revoke(OPERATOR, other.serial, AT + 10)
    await devices.revoke(OPERATOR, other.serial, AT + 11)

    const found = await read()
    expect(dataOf(found)).toEqual([
      ['device.locked', { deviceSerial }],
      ['device.unlocked', { deviceSerial }],
      ['settings.applied', { deviceSerial, ver: 1, volume: 70, lang: 'vi' }],
      ['settings.applied', { deviceSerial, ver: 2, volume: 70, lang: 'en' }],
      ['device.unregistered', { deviceSerial }],
      ['device.registered', { deviceSerial: other.serial, storeId: other.storeId }],
      ['device.unregistered', { deviceSerial: other.serial }],
    ])
    expect(found.map(({ at }) => at - AT)).toEqual([1, 3, 4, 6, 7, 9, 10])
  })

  it('tells of a low battery once, and again only after it was good', async () => {
    const { storage, clientId, speaker, read } = await world()
    const { serial: deviceSerial, deviceId } = speaker
    const report = (battery: number | undefined) =>
      storage.health.record([{ deviceId, report: { battery, at: AT + 1 } }])
    for (const battery of [50, 15, 14, 3, undefined, 20, 14, 25, 10, 26, 15, 14, 2]) await report(battery)
    expect(dataOf(await read())).toEqual([
      ['device.battery_low', { deviceSerial, battery: 14 }],
      ['device.battery_low', { deviceSerial, battery: 14 }],
    ])
    // The next partner has not been told.
    await storage.devices.unregister(byPartner(clientId), deviceSerial, AT)
    await report(1)
    expect(await read({ types: ['device.battery_low'] })).toHaveLength(2)
  })

  it('tells of two reports of one commit as of one after the other, or of the newest', async () => {
    const { storage, speaker, read } = await world()
    const { deviceId } = speaker
    await storage.health.record([
      { deviceId, report: { battery: 10, at: AT } },
      { deviceId, report: { battery: 9, at: AT + 1 } },
    ])
    expect(typesOf(await read())).toEqual(['device.battery_low'])
  })

  describe('whether a device is online', () => {
    async function online() {
      const opened = await world()
      const { storage, speaker } = opened
      const { deviceId } = speaker
      const born = (sessionId: string, at: number) =>
        storage.outbox.begin({ deviceId, sessionId }, at, { born: bornWith() })
      const offline = (sessionId: string | undefined, leftAt: number, at = leftAt + 60_000) =>
        storage.health.tellOffline([{ deviceId, sessionId, leftAt }], at)
      const told = async () => {
        const { devices } = await storage.health.toldOnline()
        return devices.some((one) => one.deviceId === deviceId)
      }
      const states: EventType[] = ['device.online', 'device.offline']
      return { ...opened, born, offline, told, changes: () => opened.read({ types: states }) }
    }

    it('is told when it changes, and only then', async () => {
      const { speaker, born, offline, told, changes } = await online()
      const { serial: deviceSerial } = speaker
      // It was registered while it was connected.
      expect(await told()).toBe(true)
      await born('one', AT + 1)
      expect(await changes()).toEqual([])
      await offline('one', AT + 1_000)
      await offline('one', AT + 1_000)
      expect(await told()).toBe(false)
      await born('two', AT + 70_000)
      await born('three', AT + 71_000)
      const found = await changes()
      expect(dataOf(found)).toEqual([
        ['device.offline', { deviceSerial, lastSeenAt: isoInstant(AT + 1_000) }],
        ['device.online', { deviceSerial, lastSeenAt: isoInstant(AT + 70_000) }],
      ])
      expect(found.map(({ at }) => at - AT)).toEqual([61_000, 70_000])
    })

    it('stays as it was for a device that another session has meanwhile', async () => {
      const { born, offline, told, changes } = await online()
      await born('one', AT + 1)
      await born('two', AT + 2_000)
      await offline('one', AT + 1_000)
      expect(await told()).toBe(true)
      expect(await changes()).toEqual([])
    })

    it('is told although the clock was set back since the birth', async () => {
      const { born, offline, told } = await online()
      await born('one', AT + 70_000)
      await offline('one', AT + 1_000)
      expect(await told()).toBe(false)
    })

    it('stays as it was when a later session has had the device, also when that has given it up', async () => {
      const { storage, speaker, born, offline, told, changes } = await online()
      const { deviceId } = speaker
      for (const [sessionId, at] of [
        ['one', AT + 1],
        ['two', AT + 2_000],
      ] as const) {
        await born(sessionId, at)
        await storage.outbox.leave([{ deviceId, sessionId }])
      }
      await offline('one', AT + 1_000)
      expect(await changes()).toEqual([])
      await offline('two', AT + 3_000)
      expect(await told()).toBe(false)
    })

    it('knows when a device was last seen: born, reporting or leaving, whatever was the latest', async () => {
      const { storage, speaker, born } = await online()
      const { deviceId } = speaker
      const seen = async () => (await storage.health.toldOnline()).devices
      await born('one', AT + 1)
      expect(await seen()).toEqual([{ deviceId, sessionId: 'one', leftAt: AT + 1 }])
      await storage.health.record([{ deviceId, report: { at: AT + 2 } }])
      expect(await seen()).toMatchObject([{ leftAt: AT + 2 }])
      await storage.health.record([{ deviceId, leftAt: AT + 3 }])
      expect(await seen()).toMatchObject([{ leftAt: AT + 3 }])
      await born('two', AT + 4)
      expect(await seen()).toEqual([{ deviceId, sessionId: 'two', leftAt: AT + 4 }])
    })

    it('is told to nobody without a partner, and to the next one anew', async () => {
      const { storage, shop, clientId, speaker, born, offline, changes } = await online()
      await born('one', AT + 1)
      await storage.devices.unregister(byPartner(clientId), speaker.serial, AT + 2)
      expect((await storage.health.toldOnline()).devices).toEqual([])
      await storage.health.record([{ deviceId: speaker.deviceId, report: { battery: 1, at: AT + 3 } }])
      await offline('one', AT + 1_000)
      await born('two', AT + 70_000)
      expect(await changes()).toEqual([])
      const next = await shop.partner()
      const minted = { ...speaker, deviceId: speaker.deviceId }
      await shop.issue(next, minted, '123456', AT + 80_000)
      const registered = await storage.devices.register(
        byPartner(next),
        shop.registration(next, speaker.serial),
        AT + 80_001,
      )
      expect(registered.kind).toBe('registered')
      await offline('two', AT + 90_000)
      await storage.health.record([{ deviceId: speaker.deviceId, report: { battery: 1, at: AT + 90_001 } }])
      expect(typesOf(await eventsOf(storage, next))).toEqual([
        ...['device.registered', 'device.offline', 'device.battery_low'],
      ])
    })

    it('begins as offline when the device has left before it was registered', async () => {
      const { storage, shop } = await open().then(({ storage }) => ({ storage, shop: createShop(storage) }))
      const clientId = await shop.partner()
      const minted = await shop.device()
      const { deviceId } = minted
      await storage.outbox.begin(ownerOf(deviceId), AT, { born: bornWith() })
      await storage.health.record([{ deviceId, leftAt: AT + 1 }])
      await shop.issue(clientId, minted)
      await storage.devices.register(byPartner(clientId), shop.registration(clientId, minted.serial), AT + 2)
      expect((await storage.health.toldOnline()).devices).toEqual([])
      await storage.outbox.begin(ownerOf(deviceId, 'later'), AT + 3, { born: bornWith() })
      expect(typesOf(await eventsOf(storage, clientId))).toEqual(['device.registered', 'device.online'])
    })
  })
}
