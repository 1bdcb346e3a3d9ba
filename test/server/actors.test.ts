import { expect, it } from 'vitest'
import { type Actor, byPartner } from '../../server/security/actor.ts'
import { createVirtualClock } from '../support/clock.ts'
import { createTestCore } from '../support/core.ts'
import { openTestStorage } from '../support/storage.ts'
import { AT, createShop } from './storage/shop.ts'

const MINH: Actor = { kind: 'operator', name: 'minh', from: 'console' }

async function world() {
  const { storage, vault } = openTestStorage()
  const { verbs } = createTestCore({ storage, vault, clock: createVirtualClock(AT) })
  const shop = createShop(storage)
  const clientId = await shop.partner('sbc_1')
  const speaker = await shop.speaker(clientId)
  const all = async () => storage.audit.list({ limit: 1_000 })
  const seen = (await all())[0]?.id ?? 0
  const noted = async () =>
    (await all())
      .filter(({ id }) => id > seen)
      .map(({ actorKind, actor, action, details: { via } }) => [action, actorKind, actor, via])
      .reverse()
  return { verbs, shop, noted, ...speaker }
}

it.each<[named: string, by: Actor, ...told: unknown[]]>([
  ['a partner', byPartner('sbc_1'), 'partner', 'sbc_1', undefined],
  ['an operator in the console', MINH, 'operator', 'minh', 'console'],
])('the verbs that %s calls tell the storage so', async (_, by, ...told) => {
  const { verbs, serial, storeId, noted } = await world()
  await verbs.updateStatus(by, [{ serial, active: false }])
  await verbs.updateStatus(by, [{ serial, active: true }])
  await verbs.changeSettings(by, serial, { volume: 50, lang: 'vi' })
  await verbs.updateStore(by, storeId, { storeName: 'X' })
  await verbs.unregister(by, serial)
  const actions = ['device.lock', 'device.unlock', 'device.settings', 'store.update', 'device.unregister']
  expect(await noted()).toEqual(actions.map((action) => [action, ...told]))
})

it('a partner that calls them for what another has changes nothing', async () => {
  const { verbs, shop, serial, storeId, noted } = await world()
  const foreign = byPartner(await shop.partner('sbc_2'))
  expect(await verbs.updateStatus(foreign, [{ serial, active: false }])).toHaveLength(1)
  for (const call of [
    () => verbs.changeSettings(foreign, serial, { volume: 50, lang: 'vi' }),
    () => verbs.findSettings(foreign, serial),
    () => verbs.updateStore(foreign, storeId, { storeName: 'X' }),
    () => verbs.unregister(foreign, serial),
  ])
    await expect(call()).rejects.toMatchObject({ kind: expect.stringMatching(/_NOT_FOUND$/) })
  expect(await noted()).toEqual([['partner.create', 'operator', 'lan', undefined]])
})
