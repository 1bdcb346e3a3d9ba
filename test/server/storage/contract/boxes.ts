import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { boxOf, LABEL } from '../boxes.ts'
import { AT, createShop } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { withBox } from './box-announcements.ts'

export function boxContract(open: OpenStorage) {
  it('stores a box, and finds it by the first name that is its own', async () => {
    const { storage, reopen } = await open()
    const box = boxOf('one', { profile: 'own', document: '{"a":1}' })
    expect(await storage.devices.mintBox(OPERATOR, box)).toBe('added')
    expect(await storage.devices.mintBox(OPERATOR, boxOf('two'))).toBe('added')
    const again = await reopen()
    expect(await again.devices.boxLogin(['?', 'W-one', 'W-two'])).toEqual({
      ...{ deviceId: box.id, serial: box.serial, wireId: 'W-one', loginHash: box.loginHash, revoked: false },
      ...{ dialect: 'hemipay', profile: 'own', document: '{"a":1}' },
    })
    expect(await again.devices.boxLogin(['W-two', 'W-one'])).toMatchObject({
      ...{ wireId: 'W-two', profile: 'hemipay', document: undefined },
    })
    expect(await again.devices.boxLogin(['BOX-one'])).toBeUndefined()
    await again.devices.revoke(OPERATOR, box.serial, AT)
    expect(await again.devices.boxLogin(['W-one'])).toMatchObject({ revoked: true })
    // It is no device of the other listener.
    expect(await again.devices.credentials(box.serial)).toBeUndefined()
  })

  it('refuses a serial, a wire id and a profile that are taken, and leaves nothing', async () => {
    const { storage } = await open()
    const mint = (...of: Parameters<typeof boxOf>) => storage.devices.mintBox(OPERATOR, boxOf(...of))
    expect(await mint('one', { profile: 'own', document: '{"a":1}' })).toBe('added')
    expect(await mint('one', { wireId: 'other', id: 'other' })).toBe('serial_taken')
    const fresh = { profile: 'new', document: '{}' }
    expect(await mint('two', { wireId: 'W-one', ...fresh })).toBe('wire_id_taken')
    expect(await mint('two', { profile: 'own', document: '{"a":2}' })).toBe('profile_differs')
    expect(await mint('two', { profile: 'own', document: '{"a":1}' })).toBe('added')
    expect(await storage.profiles.list()).toEqual([{ name: 'own', document: '{"a":1}', since: AT }])
    expect((await storage.devices.list()).map(({ serial }) => serial)).toEqual(['BOX-one', 'BOX-two'])
  })

  it('keeps profiles by their names', async () => {
    const { storage, reopen } = await open()
    await storage.profiles.save(OPERATOR, 'b', '{"b":1}', AT)
    await storage.profiles.save(OPERATOR, 'a', '{}', AT)
    await storage.profiles.save(OPERATOR, 'b', '{"b":2}', AT + 1)
    const again = await reopen()
    expect((await again.profiles.list()).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(await again.profiles.find('b')).toEqual({ name: 'b', document: '{"b":2}', since: AT + 1 })
    expect(await again.profiles.find('c')).toBeUndefined()
  })

  it('lists devices by dialect and by profile, and says both', async () => {
    const { storage } = await open()
    const { serial } = await createShop(storage).device()
    await storage.devices.mintBox(OPERATOR, boxOf('one'))
    await storage.devices.mintBox(OPERATOR, boxOf('two', { dialect: 'oneway', profile: 'openluat' }))
    const found = async (filter: Parameters<typeof storage.lists.devices.page>[0]) =>
      (await storage.lists.devices.page(filter, AT, { limit: 10 })).rows.map((one) => one.serial)
    expect(await found({ dialect: 'hemipay' })).toEqual(['BOX-one'])
    expect(await found({ dialect: 'sb/1' })).toEqual([serial])
    expect(await found({ profiles: ['openluat', 'hemipay'] })).toEqual(['BOX-two', 'BOX-one'])
    expect(await found({ profiles: ['sb/1', 'openluat'] })).toEqual(['BOX-two', serial])
    expect(await found({ profiles: [] })).toEqual([])
    expect(await found({ dialect: 'oneway', profiles: ['hemipay'] })).toEqual([])
    expect(await storage.lists.devices.find('BOX-two', AT)).toMatchObject({
      ...{ dialect: 'oneway', profile: 'openluat', wireId: 'W-two' },
    })
    expect(await storage.lists.devices.find(serial, AT)).toMatchObject({
      dialect: 'sb/1',
      profile: undefined,
      wireId: undefined,
    })
  })

  it('registers by the label, also again after a release, and counts wrong labels as codes', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [clientId, other] = [await shop.partner(), await shop.partner()]
    const { serial } = boxOf('one')
    await storage.devices.mintBox(OPERATOR, boxOf('one'))
    const present = async (label: string, by = clientId, at = AT) => {
      const asked = shop.registration(by, serial, { codeHashes: [], label })
      return storage.devices.register(byPartner(by), asked, at)
    }
    expect(await present(LABEL)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(clientId), serial, AT)
    expect(await present(LABEL, other)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(other), serial, AT)
    const wrong = LABEL.replace('A', 'Z')
    for (let guess = 0; guess < 3; guess += 1)
      expect(await present(wrong)).toMatchObject({ kind: 'code_wrong', isNewest: false })
    expect(await present(LABEL)).toEqual({ kind: 'code_quota', freeAgainAt: AT + 15 * 60_000 })
    expect(await storage.codes.before(clientId, 'box one')).toMatchObject({ own: { issued: 3 } })
    expect(await present(LABEL, other)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(other), serial, AT)
    expect(await present(LABEL, clientId, AT + 15 * 60_000)).toMatchObject({ kind: 'registered' })
  })

  it('has no label to guess on a device without one', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { serial, deviceId } = await shop.device()
    const asked = shop.registration(clientId, serial, { codeHashes: [], label: LABEL })
    expect(await storage.devices.register(byPartner(clientId), asked, AT)).toEqual({ kind: 'code_none' })
    expect((await storage.codes.before(clientId, deviceId)).own).toBeUndefined()
  })

  it('keys an amount once for each request of a device, and asks the partner by one event', async () => {
    const { storage, reopen } = await open()
    const { clientId, deviceId, serial, storeId } = await withBox(storage)
    const ask = (requestId: string, keyedId: string, forStore?: string, at = AT, by = clientId) =>
      storage.keyed.key(
        by,
        { deviceId, requestId, amount: '5000', keyedId, storeId: forStore, expiresAt: AT + 60_000 },
        at,
      )
    expect(await storage.keyed.shopsOf(deviceId)).toMatchObject({
      ...{ clientId, serial, stores: [{ id: storeId, staticQRCode: 'static QR' }] },
    })
    expect(await ask('1', 'K1')).toEqual({ keyedId: 'K1', storeId: undefined, isRepeat: false })
    expect(await ask('1', 'K2')).toEqual({ keyedId: 'K1', storeId: undefined, isRepeat: true })
    expect(await ask('2', 'K3', storeId)).toEqual({ keyedId: 'K3', storeId, isRepeat: false })
    const again = await reopen()
    expect(
      await again.keyed.key(
        clientId,
        { deviceId, requestId: '2', amount: '5000', keyedId: 'K4', storeId: undefined, expiresAt: AT },
        AT,
      ),
    ).toEqual({ keyedId: 'K3', storeId, isRepeat: true })
    await again.events.number(AT + 1)
    const { events } = await again.events.page(clientId, {
      ...{ after: 0, types: ['amount.keyed'], limit: 10 },
    })
    expect(events.map(({ data }) => data)).toEqual([
      {
        ...{ deviceSerial: serial, storeIds: [storeId], transactionAmount: '5000', keyedId: 'K1' },
        expiresAt: new Date(AT + 60_000).toISOString(),
      },
    ])
  })

  it('forgets a request after a day, and takes none of a device that is locked or another partner’s', async () => {
    const { storage } = await open()
    const { clientId, deviceId, serial, shop } = await withBox(storage)
    const key = (requestId: string, at: number, by = clientId) =>
      storage.keyed.key(
        by,
        { deviceId, requestId, amount: '1', keyedId: `K${at}`, storeId: undefined, expiresAt: at },
        at,
      )
    await key('1', AT)
    const day = 24 * 60 * 60_000
    expect(await key('1', AT + day - 1)).toMatchObject({ isRepeat: true })
    expect(await key('1', AT + day)).toMatchObject({ isRepeat: false, keyedId: `K${AT + day}` })
    expect(await key('2', AT, await shop.partner())).toBeUndefined()
    await storage.devices.setActive(byPartner(clientId), serial, false, AT)
    expect(await key('2', AT)).toBeUndefined()
    expect(await storage.keyed.shopsOf(deviceId)).toBeUndefined()
  })
}
