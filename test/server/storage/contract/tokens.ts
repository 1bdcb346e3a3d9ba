import { expect, it } from 'vitest'
import { REFRESH_GRACE_MS } from '../../../../server/partners/rotation.ts'
import { byPartner, HUB } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop, hashOf } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const HOUR_MS = 60 * 60_000
const FAMILY_ENDS_AT = AT + 30 * 24 * HOUR_MS

const access = (name: string) => hashOf(`access ${name}`)
const refresh = (name: string) => hashOf(`refresh ${name}`)
const pair = (name: string, at = AT) => ({
  accessHash: access(name),
  refreshHash: refresh(name),
  accessExpiresAt: at + HOUR_MS,
})

async function loggedIn({ storage, reopen }: Opened) {
  const clientId = await createShop(storage).partner('sbc_1')
  await storage.tokens.start(
    byPartner(clientId),
    { id: 'family', clientId, expiresAt: FAMILY_ENDS_AT },
    pair('1'),
    AT,
  )
  return { storage, reopen, clientId }
}

const kindOf = async (rotation: ReturnType<Storage['tokens']['rotate']>) => (await rotation).kind

export function tokenContract(open: OpenStorage) {
  it('returns the grant of an access token, also after reopening', async () => {
    const { reopen } = await loggedIn(await open())
    expect(await (await reopen()).tokens.grant(access('1'))).toEqual({
      clientId: 'sbc_1',
      expiresAt: AT + HOUR_MS,
      disabled: false,
    })
  })

  it('grants nothing to an unknown token, nor to a refresh token', async () => {
    const { storage } = await loggedIn(await open())
    expect(await storage.tokens.grant(access('9'))).toBeUndefined()
    expect(await storage.tokens.grant(refresh('1'))).toBeUndefined()
  })

  it('tells in a grant that its partner was disabled', async () => {
    const { storage } = await loggedIn(await open())
    await storage.partners.disable(OPERATOR, 'sbc_1', AT)
    expect(await storage.tokens.grant(access('1'))).toMatchObject({ disabled: true })
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT))).toBe('disabled')
  })

  it('rotates from generation to generation, over a reopening, with the family ending as it began', async () => {
    const { storage, reopen } = await loggedIn(await open())
    const rotated = { kind: 'rotated', clientId: 'sbc_1', familyExpiresAt: FAMILY_ENDS_AT }
    expect(await storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT)).toEqual(rotated)
    const { tokens } = await reopen()
    expect(await tokens.rotate(HUB, refresh('2'), pair('3'), AT + 1)).toEqual(rotated)
    expect(await tokens.grant(access('3'))).toMatchObject({ clientId: 'sbc_1' })
  })

  it('rotates only refresh tokens that it knows', async () => {
    const { storage } = await loggedIn(await open())
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('9'), pair('2'), AT))).toBe('unknown')
    expect(await kindOf(storage.tokens.rotate(HUB, access('1'), pair('2'), AT))).toBe('unknown')
    expect(await storage.tokens.grant(access('2'))).toBeUndefined()
  })

  it('exchanges a token again for 60 s after a lost answer; both pairs work', async () => {
    const { storage } = await loggedIn(await open())
    await storage.tokens.rotate(HUB, refresh('1'), pair('lost'), AT)
    expect(
      await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('repeated'), AT + REFRESH_GRACE_MS)),
    ).toBe('rotated')
    expect(
      await kindOf(storage.tokens.rotate(HUB, refresh('repeated'), pair('3'), AT + REFRESH_GRACE_MS)),
    ).toBe('rotated')
  })

  it.each([
    { why: 'after 60 s', at: AT + REFRESH_GRACE_MS + 1, usedNext: false },
    { why: 'once its successor was used', at: AT + 1, usedNext: true },
  ])('revokes the whole family when a rotated token comes back $why', async ({ at, usedNext }) => {
    const { storage, reopen } = await loggedIn(await open())
    await storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT)
    if (usedNext) await storage.tokens.rotate(HUB, refresh('2'), pair('3'), AT + 1)
    expect(await storage.tokens.grant(access('2'))).toBeDefined()
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('stolen'), at))).toBe('reused')
    expect(await storage.tokens.grant(access('2')), 'a cached grant').toBeUndefined()

    const { tokens } = await reopen()
    for (const name of ['1', '2', '3', 'stolen']) expect(await tokens.grant(access(name))).toBeUndefined()
    const newest = usedNext ? '3' : '2'
    expect(await kindOf(tokens.rotate(HUB, refresh(newest), pair('4'), at))).toBe('reused')
  })

  it('leaves other families of the partner alone when it revokes one', async () => {
    const { storage } = await loggedIn(await open())
    await storage.tokens.start(
      byPartner('sbc_1'),
      { id: 'other', clientId: 'sbc_1', expiresAt: FAMILY_ENDS_AT },
      pair('other'),
      AT,
    )
    await storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT)
    await storage.tokens.rotate(HUB, refresh('1'), pair('3'), AT + REFRESH_GRACE_MS + 1)
    expect(await storage.tokens.grant(access('other'))).toBeDefined()
  })

  const owned = (verdict: string) => ({ clientId: 'sbc_1', verdict })

  it('judges a refresh token without exchanging it', async () => {
    const { storage, reopen } = await loggedIn(await open())
    expect(await storage.tokens.judge(refresh('1'), FAMILY_ENDS_AT - 1)).toEqual(owned('next'))
    expect(await storage.tokens.judge(refresh('1'), FAMILY_ENDS_AT)).toEqual(owned('expired'))
    expect(await storage.tokens.judge(refresh('9'), AT)).toBeUndefined()
    expect(await storage.tokens.judge(access('1'), AT)).toBeUndefined()
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT))).toBe('rotated')

    const { tokens, partners } = await reopen()
    expect(await tokens.judge(refresh('2'), AT)).toEqual(owned('next'))
    await partners.disable(OPERATOR, 'sbc_1', AT)
    expect(await tokens.judge(refresh('2'), AT)).toEqual(owned('disabled'))
  })

  it('judges a token that was rotated away or revoked', async () => {
    const { storage } = await loggedIn(await open())
    await storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT)
    expect(await storage.tokens.judge(refresh('1'), AT + REFRESH_GRACE_MS)).toEqual(owned('again'))
    expect(await storage.tokens.judge(refresh('1'), AT + REFRESH_GRACE_MS + 1)).toEqual(owned('reuse'))
    await storage.tokens.rotate(HUB, refresh('1'), pair('3'), AT + REFRESH_GRACE_MS + 1)
    for (const name of ['1', '2'])
      expect(await storage.tokens.judge(refresh(name), AT)).toEqual(owned('revoked'))
  })

  it('ends a family at its time, whatever its generation', async () => {
    const { storage } = await loggedIn(await open())
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2'), FAMILY_ENDS_AT))).toBe('expired')
    expect(await storage.tokens.grant(access('2'))).toBeUndefined()
  })

  it('lets one of two rotations at once be the repetition of the other', async () => {
    const { storage } = await loggedIn(await open())
    const both = await Promise.all([
      kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT)),
      kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2b'), AT)),
    ])
    expect(both).toEqual(['rotated', 'rotated'])
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('2'), pair('3'), AT))).toBe('rotated')
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('2b'), pair('3b'), AT))).toBe('reused')
  })

  it('deletes the families that have ended, and none when somebody logs in under a clock that is ahead', async () => {
    const { storage } = await loggedIn(await open())
    const later = FAMILY_ENDS_AT + 100 * 24 * HOUR_MS
    const fresh = { id: 'fresh', clientId: 'sbc_1', expiresAt: later + HOUR_MS }
    await storage.tokens.start(byPartner(fresh.clientId), fresh, pair('fresh', later), later)
    expect(await storage.retention.pruneTokens(FAMILY_ENDS_AT)).toEqual({ deleted: 0, next: undefined })
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('1'), pair('2'), AT))).toBe('rotated')

    expect(await storage.retention.pruneTokens(FAMILY_ENDS_AT + 1)).toEqual({ deleted: 1, next: undefined })
    expect(await kindOf(storage.tokens.rotate(HUB, refresh('2'), pair('3'), AT))).toBe('unknown')
    expect(await storage.tokens.grant(access('fresh'))).toBeDefined()
  })
}
