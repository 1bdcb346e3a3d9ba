import { expect, it } from 'vitest'
import { CODE_VALID_MS } from '../../../../server/devices/verification-code.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { AT, createShop, hashOf, type MintedDevice } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

type Shop = ReturnType<typeof createShop>

/** Everything that a registration may change, as the ports show it. */
async function stateOf(storage: Storage, clientId: string, { deviceId, serial }: MintedDevice) {
  return {
    device: await storage.devices.findFor(clientId, serial),
    devices: await storage.devices.list(),
    quota: await storage.codes.before(clientId, deviceId),
    screen: await storage.outbox.screen(deviceId, AT),
    paid: (await createShop(storage).pay(clientId)).kind,
  }
}

async function begun({ storage, reopen }: Opened) {
  const shop = createShop(storage)
  const [clientId, foreign] = [await shop.partner(), await shop.partner()]
  const device = await shop.device()
  return { storage, reopen, shop, clientId, foreign, device }
}

async function register(storage: Storage, registration: ReturnType<Shop['registration']>, at = AT) {
  const result = await storage.devices.register(byPartner(registration.clientId), registration, at)
  if (result.kind !== 'registered') throw new Error(`not registered: ${result.kind}`)
  return result
}

export function registrationContract(open: OpenStorage) {
  it('adds user, store and link, and uses the code, in one act', async () => {
    const { storage, reopen, shop, clientId, device } = await begun(await open())
    await shop.issue(clientId, device)
    const asked = shop.registration(clientId, device.serial)
    const { userId, store, device: linked } = await register(storage, asked)
    expect(userId).toBe(asked.newUserId)
    expect(store).toMatchObject({
      ...asked.store,
      id: asked.newStoreId,
      userId,
      clientId,
      totalTransaction: 0n,
      totalAmount: 0n,
    })
    expect(linked).toMatchObject({ clientId, rmCode: 'RM-1', active: true, stores: [store] })
    const again = await reopen()
    expect(await again.devices.findFor(clientId, device.serial)).toEqual(linked)
    expect(await again.stores.find(clientId, store.id)).toEqual(store)
    expect(await again.devices.register(byPartner(asked.clientId), asked, AT)).toEqual({ kind: 'code_none' })
  })

  it.each([
    {
      why: 'the device is unknown',
      kind: 'device_not_found',
      prepare: async () => undefined,
      change: { serial: 'SPK-9' },
    },
    {
      why: 'no code was issued',
      kind: 'code_none',
      prepare: async () => undefined,
      change: {},
    },
    {
      why: 'the code is wrong',
      kind: 'code_wrong',
      prepare: (shop: Shop, clientId: string, device: MintedDevice) => shop.issue(clientId, device, '999999'),
      change: {},
    },
    {
      why: 'the code has expired',
      kind: 'code_expired',
      prepare: (shop: Shop, clientId: string, device: MintedDevice) =>
        shop.issue(clientId, device, '123456', AT - CODE_VALID_MS),
      change: {},
    },
    {
      why: "the code is another partner's",
      kind: 'code_none',
      prepare: async (shop: Shop, _clientId: string, device: MintedDevice) =>
        shop.issue(await shop.partner(), device),
      change: {},
    },
  ])('changes nothing when $why', async ({ kind, prepare, change }) => {
    const { storage, shop, clientId, device } = await begun(await open())
    await prepare(shop, clientId, device)
    const before = await stateOf(storage, clientId, device)
    const refused = await storage.devices.register(
      byPartner(clientId),
      shop.registration(clientId, device.serial, change),
      AT,
    )
    expect(refused).toMatchObject({ kind })
    expect(await stateOf(storage, clientId, device)).toEqual(before)
    expect(before.paid).toBe('store_not_found')
  })

  it("answers for another partner's device as for a device that does not exist, and changes nothing", async () => {
    const { storage, shop, clientId, foreign } = await begun(await open())
    const speaker = await shop.speaker(clientId)
    await shop.issue(foreign, speaker, '123456', AT + 1)
    const before = await storage.devices.findFor(clientId, speaker.serial)
    const refused = await storage.devices.register(
      byPartner(foreign),
      shop.registration(foreign, speaker.serial),
      AT + 1,
    )
    expect(refused).toEqual({ kind: 'device_not_found' })
    expect(await storage.devices.findFor(clientId, speaker.serial)).toEqual(before)
  })

  it('burns the code at a wrong guess: the right one comes too late', async () => {
    const { storage, shop, clientId, device } = await begun(await open())
    await shop.issue(clientId, device, '123456')
    const guess = shop.registration(clientId, device.serial, { codeHashes: [hashOf('000000')] })
    expect(await storage.devices.register(byPartner(guess.clientId), guess, AT)).toMatchObject({
      kind: 'code_wrong',
    })
    const right = shop.registration(clientId, device.serial)
    expect(await storage.devices.register(byPartner(right.clientId), right, AT)).toEqual({
      kind: 'code_none',
    })
  })

  it('burns nothing for a code that was replaced, nor for a guess of a partner that has none', async () => {
    const { storage, shop, clientId, foreign, device } = await begun(await open())
    await shop.issue(clientId, device, '111111')
    await shop.issue(clientId, device, '123456', AT + 1)
    const old = shop.registration(clientId, device.serial, { codeHashes: [hashOf('111111')] })
    expect(await storage.devices.register(byPartner(old.clientId), old, AT + 1)).toEqual({
      kind: 'code_none',
    })
    const guess = shop.registration(foreign, device.serial, { codeHashes: [hashOf('000000')] })
    expect(await storage.devices.register(byPartner(guess.clientId), guess, AT + 1)).toEqual({
      kind: 'code_none',
    })
    await register(storage, shop.registration(clientId, device.serial), AT + 1)
  })

  it('lets one of fifty registrations with the same code win', async () => {
    const { storage, shop, clientId, device } = await begun(await open())
    await shop.issue(clientId, device)
    const asked = Array.from({ length: 50 }, () => shop.registration(clientId, device.serial))
    const results = await Promise.all(
      asked.map((one) => storage.devices.register(byPartner(one.clientId), one, AT)),
    )
    expect(results.filter(({ kind }) => kind === 'registered')).toHaveLength(1)
    expect(results.filter(({ kind }) => kind === 'code_none')).toHaveLength(49)
  })

  it('adds a store when the owner registers the device for another terminal', async () => {
    const { storage, shop, clientId, device } = await begun(await open())
    await shop.issue(clientId, device)
    const first = await register(storage, shop.registration(clientId, device.serial))
    await shop.issue(clientId, device, '123456', AT + 1)
    const till = { store: { terminalID: 'T2', phoneNumber: '0912345678' } }
    const second = await register(storage, shop.registration(clientId, device.serial, till), AT + 1)
    expect(second.userId).toBe(first.userId)
    expect(second.device.stores.map(({ terminalID }) => terminalID)).toEqual(['T1', 'T2'])
  })

  it('updates the store of a known terminal: absent fields, id and totals stay', async () => {
    const { storage, shop, clientId, device } = await begun(await open())
    await shop.issue(clientId, device)
    const first = await register(storage, shop.registration(clientId, device.serial))
    await shop.pay(clientId)
    await shop.issue(clientId, device, '123456', AT + 1)
    const change = { terminalID: 'T1', phoneNumber: '0987654321', storeName: 'Bún Hà', bankName: undefined }
    const asked = { phoneNumber: '0987654321', rmCode: undefined, store: change }
    const second = await register(storage, shop.registration(clientId, device.serial, asked), AT + 1)
    expect(second.store).toEqual({
      ...first.store,
      storeName: 'Bún Hà',
      phoneNumber: '0987654321',
      userId: second.userId,
      totalTransaction: 1n,
      totalAmount: 50_000n,
    })
    expect(second.userId).not.toBe(first.userId)
    expect(second.device).toMatchObject({ rmCode: 'RM-1', stores: [second.store] })
  })

  it('keeps users and stores of two partners apart, whatever their phone and terminal', async () => {
    const { storage, shop, clientId, foreign } = await begun(await open())
    const [mine, theirs] = [await shop.speaker(clientId), await shop.speaker(foreign)]
    expect(theirs.storeId).not.toBe(mine.storeId)
    const [ours, other] = [
      await storage.stores.find(clientId, mine.storeId),
      await storage.stores.find(foreign, theirs.storeId),
    ]
    expect(other?.userId).not.toBe(ours?.userId)
  })

  it('releases a device: it is free, its store and totals stay, its open announcements are suppressed', async () => {
    const { storage, shop, clientId, foreign } = await begun(await open())
    const speaker = await shop.speaker(clientId)
    await shop.pay(clientId, { ftCode: 'FT1' })
    const released = await storage.devices.unregister(byPartner(clientId), speaker.serial, AT + 1)
    expect(released).toMatchObject({ clientId: undefined, rmCode: '', active: true, stores: [] })
    expect(await storage.stores.find(clientId, speaker.storeId)).toMatchObject({ totalAmount: 50_000n })
    expect(await storage.payments.findByFtCode(clientId, 'FT1')).toMatchObject({
      announcements: [{ stage: 'suppressed' }],
    })
    await shop.issue(foreign, speaker, '123456', AT + 2)
    await register(storage, shop.registration(foreign, speaker.serial), AT + 2)
    expect(await storage.devices.findFor(clientId, speaker.serial)).toBeUndefined()
  })

  it('shows the next owner no missed payments of the former one', async () => {
    const { storage, shop, clientId } = await begun(await open())
    const speaker = await shop.speaker(clientId)
    await shop.pay(clientId)
    await storage.outbox.expire(AT + 120_000)
    expect(await storage.outbox.missed(speaker.deviceId)).toMatchObject({ count: 1 })
    await storage.devices.unregister(byPartner(clientId), speaker.serial, AT + 120_001)
    expect(await storage.outbox.missed(speaker.deviceId)).toBeUndefined()
  })
}
