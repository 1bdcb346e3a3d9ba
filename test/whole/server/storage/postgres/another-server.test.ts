import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { byPartner } from '../../../../../server/security/actor.ts'
import { AT, createShop, hashOf } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('a server that may lack the last commits', () => {
  if (!postgres) return

  it('has no later change that a hub takes for one that it has seen', async () => {
    const url = await postgres.database()
    const hub = await postgres.open(url)
    const partners = createShop(hub)
    const [clientId, other] = [await partners.partner(), await partners.partner()]
    const pair = { accessHash: hashOf('access'), refreshHash: hashOf('refresh'), accessExpiresAt: AT + 1 }
    await hub.tokens.start(byPartner(clientId), { id: 'family', clientId, expiresAt: AT + 1 }, pair, AT)
    await hub.partners.disable(OPERATOR, other, AT)
    expect(await hub.tokens.grant(pair.accessHash)).toMatchObject({ disabled: false })

    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    // The server that takes over has not received the last change.
    await client.query("UPDATE revisions SET revision = revision - 1 WHERE name = 'grants'")
    await client.query("UPDATE server SET identity = 'the one before'")
    const started = await postgres.open(url)
    await started.partners.disable(OPERATOR, clientId, AT)
    expect(await hub.tokens.grant(pair.accessHash)).toMatchObject({ disabled: true })
  })
})
