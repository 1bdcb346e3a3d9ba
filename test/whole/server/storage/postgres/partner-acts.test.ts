import { describe, expect, it } from 'vitest'
import { byPartner, HUB } from '../../../../../server/security/actor.ts'
import { AT, createShop, hashOf, payWell } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'

const postgres = await startTestPostgres()

/** Two hubs on one database, and a partner. */
async function hubs({ database, open }: TestPostgres) {
  const url = await database()
  const both = [await open(url), await open(url)] as const
  const shop = createShop(both[0])
  const clientId = await shop.partner()
  /** Does a thing `times` times at once, at both hubs in turn. */
  const atOnce = <T>(times: number, act: (hub: (typeof both)[number], index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: times }, (_, index) => act(both[index % 2] ?? both[0], index)))
  // Opens all connections: an act that waited for one would come after the others.
  await atOnce(20, (hub) => hub.ping())
  return { here: both[0], shop, clientId, atOnce }
}

describe.skipIf(!postgres)('at two hubs at once', () => {
  if (!postgres) return

  it('logins of a partner are counted in one row', async () => {
    const { here, clientId, atOnce } = await hubs(postgres)
    await atOnce(20, ({ tokens }, index) => {
      const pair = {
        ...{ accessHash: hashOf(`access ${index}`), refreshHash: hashOf(`refresh ${index}`) },
        accessExpiresAt: AT + 1,
      }
      return tokens.start(
        byPartner(clientId),
        { id: `family-${index}`, clientId, expiresAt: AT + 1 },
        pair,
        AT,
      )
    })
    expect(await here.audit.list({ action: 'token.start', limit: 10 })).toMatchObject([
      { actor: clientId, details: { count: 20 } },
    ])
  })

  it('a refresh token is exchanged by the rules: late, it revokes its family once', async () => {
    const { here, clientId, atOnce } = await hubs(postgres)
    const pairOf = (name: string) => ({
      ...{ accessHash: hashOf(`access ${name}`), refreshHash: hashOf(`refresh ${name}`) },
      accessExpiresAt: AT + 1_000_000,
    })
    await here.tokens.start(
      byPartner(clientId),
      { id: 'family', clientId, expiresAt: AT + 1_000_000 },
      pairOf('first'),
      AT,
    )
    await here.tokens.rotate(HUB, hashOf('refresh first'), pairOf('second'), AT)
    const answers = await atOnce(6, ({ tokens }, index) =>
      tokens.rotate(HUB, hashOf('refresh first'), pairOf(`stolen ${index}`), AT + 61_000),
    )
    expect(answers).toEqual(Array(6).fill({ kind: 'reused' }))
    expect(await here.audit.list({ action: 'token.revoke', limit: 10 })).toHaveLength(1)
  })

  it('new secrets of a partner end the ones before: one has no end', async () => {
    const { here, clientId, atOnce } = await hubs(postgres)
    await atOnce(6, ({ partners }, index) =>
      partners.rotateSecret(OPERATOR, clientId, `secret ${index}`, AT + 1 + index, AT + 1_000),
    )
    const live = await here.partners.liveSecrets(clientId, AT + 10)
    expect(live.filter(({ expiresAt }) => expiresAt === undefined)).toHaveLength(1)
  })

  it('old payments are deleted once', async () => {
    const { here, shop, clientId, atOnce } = await hubs(postgres)
    const { storeId } = await shop.speaker(clientId)
    for (let paid = 0; paid < 10; paid += 1) await payWell(shop, clientId)
    await here.outbox.expire(AT + 1_000_000)
    const speaker = (await here.devices.list())[0]
    await here.devices.revoke(OPERATOR, speaker?.serial ?? '', AT + 1_000_000)
    const pruned = await atOnce(4, ({ retention }) => retention.prunePayments(AT + 1, '', AT))
    expect(pruned.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(10)
    expect(await here.audit.list({ action: 'payment.prune', limit: 10 })).toMatchObject([
      { details: { count: 10 } },
    ])
    expect(await here.stores.find(clientId, storeId)).toMatchObject({ totalTransaction: 10n })
  })
})
