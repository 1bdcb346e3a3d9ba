import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, createShop, hashOf, ownerOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

export function deviceContract(open: OpenStorage) {
  it('keeps a minted device and its key over a reopening', async () => {
    const { storage, reopen } = await open()
    const { deviceId, serial, key } = await createShop(storage).device('SPK-1')
    const { devices } = await reopen()
    expect(await devices.credentials(serial)).toMatchObject({ deviceId, serial, key, revoked: false })
    expect(await devices.list()).toMatchObject([
      {
        serial,
        clientId: undefined,
        active: true,
        revokedAt: undefined,
        firmware: '',
        lastBirthAt: undefined,
      },
    ])
  })

  it('mints a serial once: the first key stays', async () => {
    const { storage } = await open()
    const { key } = await createShop(storage).device('SPK-1')
    const second = { id: 'other', serial: 'SPK-1', key: Buffer.alloc(32), loginHash: hashOf('x'), at: AT }
    expect(await storage.devices.mint(OPERATOR, second)).toBe(false)
    expect((await storage.devices.credentials('SPK-1'))?.key).toEqual(key)
  })

  it('finds nothing under a serial that was never minted', async () => {
    const { storage } = await open()
    const clientId = await createShop(storage).partner()
    expect(await storage.devices.credentials('SPK-9')).toBeUndefined()
    expect(await storage.devices.revoke(OPERATOR, 'SPK-9', AT)).toBe(false)
    expect(await storage.devices.findFor(clientId, 'SPK-9')).toBeUndefined()
  })

  it('shows a free device to every partner, and a registered one to its own alone', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [mine, foreign] = [await shop.partner(), await shop.partner()]
    const free = await shop.device()
    for (const clientId of [mine, foreign])
      expect(await storage.devices.findFor(clientId, free.serial)).toMatchObject({ clientId: undefined })

    const { serial } = await shop.speaker(mine)
    expect(await storage.devices.findFor(mine, serial)).toMatchObject({ serial, clientId: mine })
    expect(await storage.devices.findFor(foreign, serial)).toBeUndefined()
  })

  it('lets no partner lock or release a device that is not its own', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [mine, foreign] = [await shop.partner(), await shop.partner()]
    const { serial } = await shop.speaker(mine)
    const before = await storage.devices.findFor(mine, serial)
    expect(await storage.devices.setActive(byPartner(foreign), serial, false, AT)).toBeUndefined()
    expect(await storage.devices.unregister(byPartner(foreign), serial, AT)).toBeUndefined()
    expect(await storage.devices.findFor(mine, serial)).toEqual(before)

    const free = await shop.device()
    expect(await storage.devices.setActive(byPartner(mine), free.serial, false, AT)).toBeUndefined()
    expect(await storage.devices.unregister(byPartner(mine), free.serial, AT)).toBeUndefined()
  })

  it('hides a revoked device for good, and suppresses its open announcements', async () => {
    const { storage, reopen } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { serial, deviceId } = await shop.speaker(clientId)
    await payWell(shop, clientId, { ftCode: 'FT1' })
    expect(await storage.devices.revoke(OPERATOR, serial, AT + 1)).toBe(true)
    expect(await storage.devices.revoke(OPERATOR, serial, AT + 2)).toBe(true)

    const again = await reopen()
    expect(await again.devices.credentials(serial)).toMatchObject({ revoked: true })
    expect(await again.devices.list()).toMatchObject([{ serial, revokedAt: AT + 1 }])
    expect(await again.devices.findFor(clientId, serial)).toBeUndefined()
    expect(await again.outbox.open(deviceId, AT + 2)).toEqual([])
    const view = await again.payments.findByFtCode(clientId, 'FT1')
    expect(view?.announcements).toMatchObject([{ stage: 'suppressed', times: { suppressed: AT + 1 } }])
  })

  it('finds the revoked devices among many serials', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const serials = Array.from({ length: 1_201 }, (_, index) => `SPK-${index}`)
    const revoked = ['SPK-0', 'SPK-500', 'SPK-1200']
    for (const serial of [...revoked, 'SPK-7']) await shop.device(serial)
    for (const serial of revoked) await storage.devices.revoke(OPERATOR, serial, AT)
    expect((await storage.devices.revokedAmong(serials)).sort()).toEqual([...revoked].sort())
    expect(await storage.devices.revokedAmong([])).toEqual([])
  })

  it('stores a birth, and raises the command counter above the number that was played, never lowers it', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const { deviceId, serial } = await shop.device()
    const said = { firmware: '1.2', model: 'SB-1' }
    const owner = ownerOf(deviceId)
    const first = await storage.outbox.begin(owner, AT + 5, { born: bornWith({ ...said, played: 41 }) })
    expect(first).toMatchObject({ highestNumber: 41, numbers: [42, 43] })
    const second = await storage.outbox.begin(owner, AT + 9, { born: bornWith({ ...said, played: 3 }) })
    expect(second).toMatchObject({ highestNumber: 43, numbers: [44, 45] })
    expect(await storage.outbox.nextNumber(owner)).toBe(46)
    expect(await storage.devices.list()).toMatchObject([
      { serial, firmware: '1.2', model: 'SB-1', lastBirthAt: AT + 9 },
    ])
  })

  it('stores the newest report of one commit, and of several ends the one of the session that owns the device', async () => {
    const { storage } = await open()
    const { deviceId, serial } = await createShop(storage).device()
    const owner = ownerOf(deviceId)
    await storage.outbox.begin(owner, AT, { born: bornWith() })
    await storage.health.record([
      { deviceId, report: { battery: 60, at: AT + 1 }, leftAt: AT + 1, sessionId: owner.sessionId },
      { deviceId, report: { battery: 59, at: AT + 2 }, leftAt: AT + 2, sessionId: 'of another' },
    ])
    expect(await storage.lists.devices.find(serial, AT)).toMatchObject({
      leftAt: AT + 1,
      health: { battery: 59, reportedAt: AT + 2 },
    })
  })

  it('keeps how a device has started through reports that do not say it, and whether it is charged only of the newest', async () => {
    const { storage } = await open()
    const { deviceId, serial } = await createShop(storage).device()
    const first = { reset: 'watchdog', uptime: 60, crashes: 1, modem: 'no carrier', at: AT }
    const found = async () => await storage.lists.devices.find(serial, AT)
    expect(await found()).toMatchObject({ health: undefined, runtime: undefined })
    await storage.health.record([{ deviceId, report: { charging: true, at: AT }, runtime: first }])
    await storage.health.record([{ deviceId, report: { charging: false, at: AT + 1 } }])
    expect(await found()).toMatchObject({ health: { charging: false, reportedAt: AT + 1 }, runtime: first })
    const second = { reset: 'a newer word', uptime: 0, crashes: 2, at: AT + 2 }
    await storage.health.record([
      { deviceId, report: { at: AT + 2 }, runtime: first },
      { deviceId, report: { battery: 5, at: AT + 2 }, runtime: second },
    ])
    const newest = await found()
    expect(newest?.runtime).toEqual(second)
    expect(newest?.health).toMatchObject({ battery: 5, charging: undefined })
  })

  it('announces in the language that the device has reported', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { deviceId } = await shop.speaker(clientId)
    expect((await payWell(shop, clientId)).announcements).toMatchObject([{ lang: 'vi' }])
    await storage.settings.report(deviceId, { ver: 1, volume: 50, lang: 'en' }, AT)
    expect((await payWell(shop, clientId)).announcements).toMatchObject([{ lang: 'en' }])
  })
}
