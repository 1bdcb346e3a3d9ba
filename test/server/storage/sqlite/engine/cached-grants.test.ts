import { describe, expect, it } from 'vitest'
import { createBoundedMap } from '../../../../../server/platform/bounded-map.ts'
import { createRandomIds } from '../../../../../server/platform/ids.ts'
import { byPartner, HUB } from '../../../../../server/security/actor.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, createShop, hashOf } from '../../shop.ts'

const DAY_MS = 24 * 60 * 60_000
const PAIR = { accessHash: hashOf('access'), refreshHash: hashOf('refresh'), accessExpiresAt: AT + 1_000 }

/** A partner with a token, of whom both the grant and the secrets have been read, and so are kept. */
async function keptPartner() {
  const { storage, vault, file } = openTestStorage()
  const clientId = await createShop(storage).partner()
  await storage.tokens.start(
    byPartner(clientId),
    { id: 'family', clientId, expiresAt: AT + DAY_MS },
    PAIR,
    AT,
  )
  expect(await storage.tokens.grant(PAIR.accessHash)).toMatchObject({ clientId, disabled: false })
  expect(await storage.partners.liveSecrets(clientId, AT)).toHaveLength(1)
  return {
    storage,
    clientId,
    openOther: () => openSqliteStorage(file, storageOptions({ vault, ids: createRandomIds() })),
  }
}

const nextPair = (name: string) => ({
  accessHash: hashOf(`access ${name}`),
  refreshHash: hashOf(`refresh ${name}`),
  accessExpiresAt: AT + 1_000,
})

/** The writes that a kept grant or secret depends on, and how each shows. */
const CHANGES = [
  {
    what: 'a disabled partner',
    change: ({ partners }: Storage, clientId: string) => partners.disable(OPERATOR, clientId, AT),
    seen: async ({ tokens }: Storage) =>
      expect(await tokens.grant(PAIR.accessHash)).toMatchObject({ disabled: true }),
  },
  {
    what: 'a rotated secret',
    change: ({ partners }: Storage, clientId: string) =>
      partners.rotateSecret(OPERATOR, clientId, 'next', AT + 1, AT + 1_000),
    seen: async ({ partners }: Storage, clientId: string) =>
      expect(await partners.liveSecrets(clientId, AT)).toMatchObject([
        { secret: 'next' },
        { secret: 'secret' },
      ]),
  },
  {
    what: 'a revoked family',
    async change({ tokens }: Storage) {
      await tokens.rotate(HUB, PAIR.refreshHash, nextPair('2'), AT)
      await tokens.rotate(HUB, hashOf('refresh 2'), nextPair('3'), AT)
      expect(await tokens.rotate(HUB, PAIR.refreshHash, nextPair('4'), AT)).toEqual({ kind: 'reused' })
    },
    seen: async ({ tokens }: Storage) => expect(await tokens.grant(PAIR.accessHash)).toBeUndefined(),
  },
  {
    what: 'a forgotten family',
    change: ({ retention }: Storage) => retention.pruneTokens(AT + 3 * DAY_MS),
    seen: async ({ tokens }: Storage) => expect(await tokens.grant(PAIR.accessHash)).toBeUndefined(),
  },
]

describe('a cached read of partners and tokens', () => {
  it.each(CHANGES)('is dropped after $what', async ({ change, seen }) => {
    const { storage, clientId } = await keptPartner()
    await change(storage, clientId)
    await seen(storage, clientId)
  })

  it.each(CHANGES)('is dropped after $what that another process has written', async ({ change, seen }) => {
    const { storage, clientId, openOther } = await keptPartner()
    const other = openOther()
    await change(other, clientId)
    other.close()
    await seen(storage, clientId)
  })

  it('caches no answer for a partner that is not there', async () => {
    const { storage } = openTestStorage()
    expect(await storage.partners.liveSecrets('sbc_1', AT)).toEqual([])
    await createShop(storage).partner('sbc_1')
    expect(await storage.partners.liveSecrets('sbc_1', AT)).toHaveLength(1)
  })
})

describe('a bounded map', () => {
  it('drops the entry that was set first when it is full', () => {
    const map = createBoundedMap<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
  })
})
