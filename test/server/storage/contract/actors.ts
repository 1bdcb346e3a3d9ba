import { expect, it } from 'vitest'
import { type Actor, byPartner, HUB } from '../../../../server/security/actor.ts'
import type { AuditRow } from '../../../../server/storage/audit.ts'
import { writingActs } from '../../../../server/storage/writer/acts.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { CLIENT, openWorld } from '../audited.ts'
import { ACTS } from '../audited-acts.ts'
import { AT } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { secretOf } from '../webhook-world.ts'

type Told = Pick<AuditRow, 'actorKind' | 'actor'> & { via?: unknown }

/** Each kind of actor, and what the rows of its changes say of it. */
const ACTORS: [named: string, by: Actor, told: Told][] = [
  ['a partner', byPartner(CLIENT), { actorKind: 'partner', actor: CLIENT }],
  ['an operator at the command line', OPERATOR, { actorKind: 'operator', actor: 'lan' }],
  [
    'an operator in the console',
    { kind: 'operator', name: 'minh', from: 'console' },
    { actorKind: 'operator', actor: 'minh', via: 'console' },
  ],
  ['the hub', HUB, { actorKind: 'hub', actor: 'hub' }],
]
const OF_THE_HUB: Told = { actorKind: 'hub', actor: 'hub' }

export function actorContract(open: OpenStorage) {
  it('has a case or a reason for each act that writes', async () => {
    const { storage } = await open()
    expect(Object.keys(ACTS).sort()).toEqual([...writingActs(storage).keys()].sort())
  })

  it.each(ACTORS)('%s stands in the row of each change, with where from', async (_, by, told) => {
    const world = await openWorld(open)
    for (const [name, acts] of Object.entries(ACTS)) {
      if (typeof acts === 'string') continue
      for (const { action, isOfTheHub, carryOut } of [acts].flat()) {
        await carryOut(world, by)
        const rows = await world.noted()
        expect(
          rows.map(({ actorKind, actor, action, details: { via } }) => ({ actorKind, actor, action, via })),
          name,
        ).toEqual([{ ...(isOfTheHub ? OF_THE_HUB : told), action }])
      }
    }
  })

  it('lets a partner change its own alone, and an operator what any partner has', async () => {
    const { storage, shop, speaker, webhook } = await openWorld(open)
    const { devices, settings, stores, webhooks } = storage
    const [mine, id] = [await speaker(), await webhook()]
    const foreign = byPartner(await shop.partner('sbc_2'))
    const free = await shop.device()
    const reach = async (by: Actor, { serial, storeId }: { serial: string; storeId: string }) => [
      (await devices.setActive(by, serial, false, AT)) !== undefined,
      (await settings.change(by, serial, { volume: 50, lang: 'vi' }, AT)) !== undefined,
      (await stores.update(by, storeId, { storeName: 'X' }, AT)).kind === 'updated',
      (await webhooks.change(by, id, { description: 'Till 1' }, AT)) !== undefined,
      (await webhooks.rotate(by, id, secretOf('second'), AT, AT)) === 'rotated',
      (await devices.unregister(by, serial, AT)) !== undefined,
      await webhooks.remove(by, id, AT),
    ]
    expect(await reach(foreign, mine)).toEqual(Array(7).fill(false))
    expect(await reach(OPERATOR, mine)).toEqual(Array(7).fill(true))
    // Nobody has registered it: there is nothing to lock or to release.
    expect(await devices.setActive(OPERATOR, free.serial, false, AT)).toBeUndefined()
    expect(await devices.unregister(OPERATOR, free.serial, AT)).toBeUndefined()
  })
}
