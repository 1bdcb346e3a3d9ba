import { expect, it } from 'vitest'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, createShop, hashOf, ownerOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const OFFER = { fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) }
const OWNER = ownerOf('device')
const able = bornWith({ firmware: '1.0', caps: ['rekey', 'update'] })
const login = (name: string) => hashOf(name).toString('hex')
const keyOf = (name: string) => ({ key: hashOf(`key ${name}`), loginHash: hashOf(name) })

export function maintenanceContract(open: OpenStorage) {
  async function world() {
    const { storage, reopen } = await open()
    const minted = { id: 'device', serial: 'SPK-1', at: AT, ...keyOf('first') }
    await storage.devices.mint(OPERATOR, minted)
    await storage.outbox.begin(OWNER, AT, { born: able, login: login('first') })
    return { storage, reopen }
  }

  it('sb/1 2.9: accepts both keys until a birth under the next one, and then that one alone', async () => {
    const { storage, reopen } = await world()
    expect(await storage.maintenance.rotate(OPERATOR, 'SPK-1', keyOf('second'), AT + 1)).toEqual({
      isAble: true,
    })
    const again = await reopen()
    const { devices, maintenance, outbox } = again
    expect(await devices.credentials('SPK-1')).toMatchObject({ ...keyOf('first'), next: keyOf('second') })
    expect(await maintenance.due(['device'])).toEqual([
      { deviceId: 'device', rekey: { nextKey: keyOf('second').key, since: AT + 1 } },
    ])
    expect(await outbox.begin(OWNER, AT + 2, { born: able, login: login('first') })).toBeDefined()
    expect(await devices.credentials('SPK-1')).toMatchObject({ next: keyOf('second') })
    expect(await outbox.begin(OWNER, AT + 3, { born: able, login: login('second') })).toBeDefined()
    expect(await devices.credentials('SPK-1')).toMatchObject({ ...keyOf('second'), next: undefined })
    expect(await maintenance.due(['device'])).toEqual([])
    expect(await outbox.begin(OWNER, AT + 4, { born: able, login: login('second') })).toBeDefined()
  })

  it('sb/1 2.9: refuses a birth under a key that has been replaced, and stores nothing of it', async () => {
    const { storage } = await world()
    const { devices, maintenance, outbox } = storage
    await maintenance.rotate(OPERATOR, 'SPK-1', keyOf('second'), AT)
    await maintenance.rotate(OPERATOR, 'SPK-1', keyOf('third'), AT)
    const late = { ...able, played: 41 }
    expect(await outbox.begin(OWNER, AT, { born: late, login: login('second') })).toBeUndefined()
    expect(await devices.credentials('SPK-1')).toMatchObject({ ...keyOf('first'), next: keyOf('third') })
    await outbox.begin(OWNER, AT, { born: able, login: login('third') })
    expect(await outbox.begin(OWNER, AT, { born: late, login: login('first') })).toBeUndefined()
    expect(await outbox.highestNumber('device')).toBeLessThan(late.played)
  })

  it('gives a device only what its last birth says that it can take, and no firmware that it runs', async () => {
    const { storage } = await world()
    const { maintenance, outbox } = storage
    await maintenance.rotate(OPERATOR, 'SPK-1', keyOf('second'), AT)
    expect(await maintenance.offer(OPERATOR, 'SPK-1', OFFER, AT + 1)).toEqual({ isAble: true })
    const of = async (change: Partial<typeof able>) => {
      await outbox.begin(OWNER, AT, { born: { ...able, ...change } })
      const [due] = await maintenance.due(['device', 'other'])
      return [due?.rekey !== undefined, due?.update]
    }
    expect(await of({})).toEqual([true, { offer: OFFER, since: AT + 1 }])
    expect(await of({ caps: ['update'] })).toEqual([false, { offer: OFFER, since: AT + 1 }])
    expect(await of({ caps: [] })).toEqual([false, undefined])
    expect(await of({ firmware: '2.0' })).toEqual([true, undefined])
    expect(await maintenance.offer(OPERATOR, 'SPK-1', undefined, AT + 2)).toEqual({ isAble: true })
    expect(await of({})).toEqual([true, undefined])
  })

  it('knows no device that is unknown or revoked', async () => {
    const { storage } = await world()
    const { devices, maintenance } = storage
    await devices.revoke(OPERATOR, 'SPK-1', AT)
    for (const serial of ['SPK-1', 'SPK-9']) {
      expect(await maintenance.rotate(OPERATOR, serial, keyOf('second'), AT)).toBeUndefined()
      expect(await maintenance.offer(OPERATOR, serial, OFFER, AT)).toBeUndefined()
    }
  })

  it('lists since when a key waits, the offer, and what the device has last said of it', async () => {
    const { storage } = await world()
    const { maintenance, health, lists } = storage
    await maintenance.rotate(OPERATOR, 'SPK-1', keyOf('second'), AT + 1)
    await maintenance.offer(OPERATOR, 'SPK-1', OFFER, AT + 2)
    const update = { fw: '2.0', state: 'downloading' as const, percent: 40, at: AT + 3 }
    await health.record([{ deviceId: 'device', update }])
    await health.record([{ deviceId: 'device', report: { battery: 80, at: AT + 4 } }])
    expect(await lists.devices.find('SPK-1', AT)).toMatchObject({
      ...{ caps: ['rekey', 'update'], nextKeySince: AT + 1, updateProgress: update },
      offer: { ...OFFER, since: AT + 2 },
    })
    const createFree = createShop(storage)
    await createFree.device('SPK-2')
    expect(await lists.devices.find('SPK-2', AT)).toMatchObject({ caps: [], nextKeySince: undefined })
  })
}
