import { createServer } from 'node:http'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HUB_HEADER } from '../../../../server/cluster/peers.ts'
import { listen } from '../../../../server/platform/listen.ts'
import { signedCallback } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { connectDevice, sidOf } from '../../../support/mqtt/mqtt-device.ts'
import { obedientDevice, shopWith } from '../../../support/mqtt/obedient-device.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { hubEnv, startHubProcess } from '../../../support/processes/process.ts'
import { minted } from '../../../support/processes/shop.ts'
import { wayTo } from '../../../support/tcp-way.ts'
import { eventually, until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

/** Asks a hub whether it is ready, for those who ask here, and counts them. */
async function relay() {
  const made = { address: '', to: '', asked: 0 }
  const server = createServer(async (_, response) => {
    made.asked += 1
    const answer = await fetch(`${made.to}/readyz`).catch(() => undefined)
    response.writeHead(answer?.status ?? 503, { [HUB_HEADER]: answer?.headers.get(HUB_HEADER) ?? '' }).end()
  })
  made.address = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0, 'port')}`
  onTestFinished(() => void server.close())
  return made
}

/** A hub reads where the others answer with each of its beats. */
async function untilHubsKnowEachOther(url: string) {
  const client = new Client(url)
  await client.connect()
  const ask = async (what: string, values: readonly unknown[] = []) =>
    (await client.query(`SELECT clock_ms() AS at FROM hubs HAVING count(*) = 2 AND ${what}`, [...values]))
      .rows[0]
  const { at } = await until('both addresses', () => ask("bool_and(address <> '')"))
  await until('a beat of both', () => ask('min(beat_at) > $1', [at]))
  await client.end()
}

describe.skipIf(!postgres)('a hub that is cut off from PostgreSQL', () => {
  it('sends its speakers to a hub that is not, and takes them again when it is back; when all are, none does', async () => {
    const url = (await postgres?.database()) ?? ''
    const [way, wayOfOther] = [await wayTo(url), await wayTo(url)]
    const envOn = (database: string) =>
      hubEnv(temporaryFolder(), { HUB_DATABASE_URL: database, HUB_DRAIN_S: '2' })
    const env = envOn(url)
    const { partner, device } = await minted(env)
    const peer = await relay()
    const [hub, other] = await Promise.all([
      startHubProcess(envOn(way.url)),
      startHubProcess({ ...envOn(wayOfOther.url), HUB_PEER_URL: peer.address }),
    ])
    peer.to = other.http
    const client = await connectPartner(() => other.http, partner)
    const born = await shopWith(hub, client, device)
    const ready = async (base: string) => (await fetch(`${base}/readyz`)).status
    const says = (words: string) => hub.stderr().split(words).length - 1
    await untilHubsKnowEachOther(url)

    way.block()
    await until('the warning', () => says('the speakers go there') === 1)
    await until('the end of the connection', () => born.closed)
    expect(await ready(hub.http)).toBe(503)
    await eventually(async () =>
      expect(connectDevice(hub.mqtt, device, { sid: sidOf(2), reconnectPeriod: 0 })).rejects.toThrow(),
    )
    const elsewhere = await until('a connection elsewhere', () =>
      obedientDevice(other.mqtt, device, { sid: sidOf(3), reconnectPeriod: 0 }).catch(() => undefined),
    )
    const payDate = new Date().toISOString()
    const callback = signedCallback(partner.clientSecret, { payDate })
    expect((await client.call('POST', '/payment/callback', callback)).status).toBe(200)
    await elsewhere.next('announce')

    way.mend()
    await until('a connection', () =>
      obedientDevice(hub.mqtt, device, { sid: sidOf(4), reconnectPeriod: 0 }).catch(() => undefined),
    )
    await eventually(async () => expect(await ready(hub.http)).toBe(200))
    await until('the end of the other connection', () => elsewhere.closed)

    // PostgreSQL is away for all.
    way.block()
    wayOfOther.block()
    await until('the loss', async () => (await ready(hub.http)) === 503 && (await ready(other.http)) === 503)
    const before = peer.asked
    await until('three questions', () => peer.asked >= before + 3)
    expect(says('the speakers go there')).toBe(1)
    // Its port is open, where a hub that is cut off refuses the connection.
    const refused = connectDevice(hub.mqtt, device, { sid: sidOf(5), reconnectPeriod: 0 })
    await expect(refused).rejects.toMatchObject({ code: 3 })
    way.mend()
    wayOfOther.mend()
    await eventually(async () => expect([await ready(hub.http), await ready(other.http)]).toEqual([200, 200]))
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
  })
})
