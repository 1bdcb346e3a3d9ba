import { expect, it } from 'vitest'
import { OPERATOR } from '../../../support/actors.ts'
import { createShop } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const partner = { clientId: 'sbc_1', name: 'Acme', disabledAt: undefined, createdAt: 1_000 }
const secretsOf = (live: { secret: string }[]) => live.map(({ secret }) => secret)

export function partnerContract(open: OpenStorage) {
  it('finds and lists a partner as it was added, also after reopening', async () => {
    const { storage, reopen } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    const again = await reopen()
    expect(await again.partners.find('sbc_1')).toEqual(partner)
    expect(await again.partners.list()).toEqual([partner])
    expect(await again.partners.liveSecrets('sbc_1', 2_000)).toEqual([
      { secret: 'first', expiresAt: undefined },
    ])
  })

  it('finds nothing for a partner that was never added', async () => {
    const { storage } = await open()
    expect(await storage.partners.find('sbc_9')).toBeUndefined()
    expect(await storage.partners.disable(OPERATOR, 'sbc_9', 1)).toBe(false)
    expect(await storage.partners.rotateSecret(OPERATOR, 'sbc_9', 'x', 1, 2)).toBe(false)
    expect(await storage.partners.liveSecrets('sbc_9', 1)).toEqual([])
  })

  it('refuses a second partner of the same client id, and keeps the first', async () => {
    const { storage } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    await expect(storage.partners.create(OPERATOR, { ...partner, name: 'Other' }, 'second')).rejects.toThrow()
    expect(await storage.partners.list()).toEqual([partner])
    expect(secretsOf(await storage.partners.liveSecrets('sbc_1', 2_000))).toEqual(['first'])
  })

  it('keeps two secrets live after a rotation, the newest first, until the older one ends', async () => {
    const { storage, reopen } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    expect(await storage.partners.rotateSecret(OPERATOR, 'sbc_1', 'second', 2_000, 5_000)).toBe(true)
    const { partners } = await reopen()
    expect(await partners.liveSecrets('sbc_1', 4_999)).toEqual([
      { secret: 'second', expiresAt: undefined },
      { secret: 'first', expiresAt: 5_000 },
    ])
    expect(secretsOf(await partners.liveSecrets('sbc_1', 5_000))).toEqual(['second'])
  })

  it('ends the oldest secret at a second rotation: there are never three live secrets', async () => {
    const { storage } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    await storage.partners.rotateSecret(OPERATOR, 'sbc_1', 'second', 2_000, 9_000)
    await storage.partners.rotateSecret(OPERATOR, 'sbc_1', 'third', 3_000, 9_500)
    expect(secretsOf(await storage.partners.liveSecrets('sbc_1', 3_000))).toEqual(['third', 'second'])
  })

  it('never lengthens the life of a secret that has ended', async () => {
    const { storage } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    await storage.partners.rotateSecret(OPERATOR, 'sbc_1', 'second', 2_000, 3_000)
    await storage.partners.rotateSecret(OPERATOR, 'sbc_1', 'third', 4_000, 9_000)
    expect(secretsOf(await storage.partners.liveSecrets('sbc_1', 4_000))).toEqual(['third', 'second'])
  })

  it('keeps the time of the first disabling', async () => {
    const { storage } = await open()
    await storage.partners.create(OPERATOR, partner, 'first')
    expect(await storage.partners.disable(OPERATOR, 'sbc_1', 7_000)).toBe(true)
    expect(await storage.partners.disable(OPERATOR, 'sbc_1', 8_000)).toBe(true)
    expect(await storage.partners.find('sbc_1')).toEqual({ ...partner, disabledAt: 7_000 })
  })

  it('lists partners in the order of their creation', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const made = [await shop.partner('sbc_a'), await shop.partner('sbc_b'), await shop.partner('sbc_c')]
    expect((await storage.partners.list()).map(({ clientId }) => clientId)).toEqual(made)
  })
}
