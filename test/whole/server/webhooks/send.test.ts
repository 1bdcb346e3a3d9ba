import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner, type PartnerClient } from '../../../support/http/partner-client.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { makeCertificate } from '../../../support/processes/certificate.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, startHubProcess } from '../../../support/processes/process.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { minted } from '../../../support/processes/shop.ts'
import { until } from '../../../support/wait.ts'
import { answerWith, startReceiver } from '../../../support/webhooks/receiver.ts'

const postgres = await startTestPostgres()
const ARRANGEMENTS = ['SQLite', ...(postgres ? ['PostgreSQL'] : [])]
const ALLOW = { HUB_WEBHOOK_ALLOW: '127.0.0.0/8' }

/** The settings of hubs on one storage, and a partner there. `start` starts a hub. */
async function arrange(arrangement: string, more: Record<string, string> = {}) {
  const url = arrangement === 'PostgreSQL' ? await postgres?.database() : undefined
  const database = url === undefined ? undefined : { HUB_DATABASE_URL: `${url}${PATIENT}` }
  const env = hubEnv(temporaryFolder(), { ...database, ...ALLOW, ...more })
  const start = (own: Record<string, string> = {}) => startHubProcess({ ...env, ...own })
  const hub = await start()
  const made = await minted(env)
  const connect = (http: string) => connectPartner(() => http, made.partner)
  return { hub, start, partner: await connect(hub.http), connect }
}

async function createWebhook(partner: PartnerClient, url: string): Promise<{ id: string; secret: string }> {
  const { status, body } = await partner.call('POST', '/webhook', { url })
  expect(status, JSON.stringify(body)).toBe(201)
  return Object(body).data ?? Object(body)
}

async function test(partner: PartnerClient, id: string) {
  expect((await partner.call('POST', `/webhook/${id}/test`)).status).toBe(202)
}

/** The ids of all events of the partner. */
async function eventsOf(partner: PartnerClient): Promise<string[]> {
  const { body } = await partner.call('GET', '/event')
  return Object(body).data.map(({ id }: { id: string }) => id)
}

async function deliveriesOf(
  partner: PartnerClient,
  id: string,
): Promise<{ state: string; attempts: { error: string }[] }[]> {
  return Object((await partner.call('GET', `/webhook/${id}/deliveries`)).body).data
}

it.each(ARRANGEMENTS)(
  'a hub that is killed before an event is delivered: the next one delivers it, on %s',
  async (arrangement) => {
    const { hub: first, start, partner, connect } = await arrange(arrangement)
    // It answers nobody, so that the kill always comes before the delivery is stored.
    const receiver = await startReceiver(() => undefined)
    const { id, secret } = await createWebhook(partner, receiver.url)
    let [hub, client] = [first, partner]
    for (const isSeen of [true, false, false]) {
      await test(client, id)
      if (isSeen) await until('the request', () => receiver.received.length > 0)
      hub.child.kill('SIGKILL')
      await hub.ended
      if (!isSeen) receiver.answer = answerWith(204)
      hub = await start()
      client = await connect(hub.http)
    }
    // On PostgreSQL an event has its place in the log a moment after its commit: when the killed hub gave the seqs, when its
    // lease has ended.
    const expected = await until('all events', async () => {
      const events = await eventsOf(client)
      return events.length === 3 && events
    })
    const isDelivered = async () =>
      (await deliveriesOf(client, id)).filter(({ state }) => state === 'delivered').length === 3
    await until('all are delivered', isDelivered)
    const got = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    expect([...got].sort()).toEqual(expected.sort())
    for (const { headers, body } of receiver.received)
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'webhook.test',
      })
  },
)

it.runIf(postgres)('of two hubs, the other one sends when one is killed', async () => {
  const { hub, start, partner, connect } = await arrange('PostgreSQL')
  const receiver = await startReceiver()
  const { id } = await createWebhook(partner, receiver.url)
  const idsOf = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size
  const second = await start({ HUB_DATA_DIR: temporaryFolder() })
  await test(partner, id)
  await until('the first event', () => idsOf() === 1)
  hub.child.kill('SIGKILL')
  await hub.ended
  const other = await connect(second.http)
  await test(other, id)
  await until('the second event', () => idsOf() === 2)
  const third = await start({ HUB_DATA_DIR: temporaryFolder() })
  second.child.kill('SIGKILL')
  await second.ended
  await test(await connect(third.http), id)
  await until('the third event', () => idsOf() === 3)
})

it('an endpoint needs a certificate that the hub trusts: one of NODE_EXTRA_CA_CERTS is', async ({ skip }) => {
  if (findProgram('openssl') === undefined)
    return skip('openssl is not installed, so there is no certificate')
  const files = makeCertificate()
  let received = 0
  const server = createServer(files, (request, response) => {
    received += 1
    request.resume().on('end', () => response.writeHead(204).end())
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { hub, start, partner, connect } = await arrange('SQLite')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { id } = await createWebhook(partner, url)
  await test(partner, id)
  // An attempt may also fail because it is late.
  const untrusted = 'The TLS certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).'
  const failed = await until(`a failure: ${untrusted}`, async () =>
    (await deliveriesOf(partner, id)).find(({ attempts }) =>
      attempts.some(({ error }) => error === untrusted),
    ),
  )
  expect(failed.state).toBe('pending')
  expect(received).toBe(0)
  hub.child.kill('SIGTERM')
  await hub.ended
  const trusting = await start({ NODE_EXTRA_CA_CERTS: files.certFile })
  const again = await connect(trusting.http)
  // The next attempt of the first webhook may be minutes away.
  const { id: next } = await createWebhook(again, url)
  await test(again, next)
  await until('it is delivered', async () => (await deliveriesOf(again, next))[0]?.state === 'delivered')
  expect(received).toBeGreaterThan(0)
})
