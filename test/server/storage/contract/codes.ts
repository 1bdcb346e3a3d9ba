import { expect, it } from 'vitest'
import { PERIOD_MS } from '../../../../server/devices/verification-code.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, createShop, hashOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

export function codeContract(open: OpenStorage) {
  it('counts issued codes over a reopening, and refuses the fourth of a period', async () => {
    const { storage, reopen } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const device = await shop.device()
    expect(await storage.codes.before(clientId, device.deviceId)).toEqual({ own: undefined, newest: [] })
    expect(await shop.issue(clientId, device, '111111', AT)).toMatchObject({ periodStartedAt: AT, issued: 1 })
    expect(await shop.issue(clientId, device, '222222', AT + 1)).toMatchObject({ issued: 2 })

    const again = await reopen()
    const later = createShop(again)
    expect(await again.codes.before(clientId, device.deviceId)).toEqual({
      own: { periodStartedAt: AT, issued: 2 },
      newest: [AT + 1, AT],
    })
    expect(await later.issue(clientId, device, '333333', AT + 2)).toMatchObject({ issued: 3 })
    expect(await later.issue(clientId, device, '444444', AT + PERIOD_MS - 1)).toBeUndefined()
    expect((await again.codes.before(clientId, device.deviceId)).own).toEqual({
      periodStartedAt: AT,
      issued: 3,
    })
    expect(await later.issue(clientId, device, '444444', AT + PERIOD_MS)).toMatchObject({
      periodStartedAt: AT + PERIOD_MS,
      issued: 1,
    })
  })

  it('issues three of fifty that come at once', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const device = await shop.device()
    const issued = await Promise.all(Array.from({ length: 50 }, () => shop.issue(clientId, device)))
    expect(issued.filter((quota) => quota !== undefined)).toHaveLength(3)
  })

  it('counts each partner and each device on its own', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [first, second] = [await shop.partner(), await shop.partner()]
    const [one, other] = [await shop.device(), await shop.device()]
    await shop.issue(first, one)
    expect(await shop.issue(second, one)).toMatchObject({ issued: 1 })
    expect(await shop.issue(first, other)).toMatchObject({ issued: 1 })
    expect(await shop.issue(first, one)).toMatchObject({ issued: 2 })
  })

  it('issues nine codes of a device in fifteen minutes, for all partners together', async () => {
    const { storage, reopen } = await open()
    const shop = createShop(storage)
    const device = await shop.device()
    for (let partners = 0; partners < 3; partners += 1) {
      const clientId = await shop.partner()
      for (let codes = 0; codes < 3; codes += 1) await shop.issue(clientId, device, '111111', AT + partners)
    }
    const later = createShop(await reopen())
    const tenth = await later.partner()
    expect(await later.issue(tenth, device, '222222', AT + PERIOD_MS - 1)).toBeUndefined()
    expect(await later.issue(tenth, device, '222222', AT + PERIOD_MS)).toMatchObject({ issued: 1 })
  })

  it("keeps a partner's code beside a newer one of another, for the same free device", async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [first, second] = [await shop.partner(), await shop.partner()]
    const device = await shop.device()
    await shop.issue(first, device, '111111', AT)
    await shop.issue(second, device, '222222', AT + 1)
    const register = (clientId: string, code: string) =>
      storage.devices.register(
        byPartner(clientId),
        shop.registration(clientId, device.serial, { codeHashes: [hashOf(code)] }),
        AT + 2,
      )
    expect(await register(second, '111111')).toMatchObject({ kind: 'code_wrong', isNewest: true })
    expect(await register(first, '111111')).toMatchObject({ kind: 'registered' })
  })

  it('tells whether a guess burns the code that the screen shows', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [first, second] = [await shop.partner(), await shop.partner()]
    const device = await shop.device()
    await shop.issue(first, device, '111111', AT)
    await shop.issue(second, device, '222222', AT + 1)
    const guess = shop.registration(first, device.serial, { codeHashes: [hashOf('333333')] })
    expect(await storage.devices.register(byPartner(guess.clientId), guess, AT + 1)).toMatchObject({
      kind: 'code_wrong',
      isNewest: false,
    })
  })

  it('replaces the outstanding code by the newest, which alone can be used', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const device = await shop.device()
    await shop.issue(clientId, device, '111111', AT)
    await shop.issue(clientId, device, '222222', AT + 1)
    const register = (code: string) =>
      storage.devices.register(
        byPartner(clientId),
        shop.registration(clientId, device.serial, { codeHashes: [hashOf(code)] }),
        AT + 2,
      )
    expect(await register('111111')).toEqual({ kind: 'code_none' })
    expect(await register('222222')).toMatchObject({ kind: 'registered' })
  })

  it('counts only issued codes: a registration neither adds to the quota nor resets it', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { deviceId, serial } = await shop.speaker(clientId)
    expect((await storage.codes.before(clientId, deviceId)).own).toMatchObject({ issued: 1 })
    await storage.devices.unregister(byPartner(clientId), serial, AT + 1)
    expect((await storage.codes.before(clientId, deviceId)).own).toMatchObject({ issued: 1 })
  })
}
