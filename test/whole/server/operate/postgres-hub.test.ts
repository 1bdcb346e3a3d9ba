import { readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../server/platform/listen.ts'
import { freePort } from '../../../../simulator/platform/free-port.ts'
import { signedCallback } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner, registerOver } from '../../../support/http/partner-client.ts'
import { bornDevice, connectDevice, sidOf } from '../../../support/mqtt/mqtt-device.ts'
import { obedientDevice, shopWith } from '../../../support/mqtt/obedient-device.ts'
import { switchOn } from '../../../support/mqtt/speaker.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../support/processes/process.ts'
import { minted } from '../../../support/processes/shop.ts'
import { testMasterKey } from '../../../support/storage.ts'
import { eventually, until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

/** A balancer of connections: each goes to the first of the hubs that takes it. */
async function startBalancer(hubs: string[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    const tryNext = ([hub, ...others]: string[]) => {
      if (hub === undefined) return void socket.destroy()
      const { hostname, port } = new URL(hub)
      const way = connect(Number(port), hostname)
      way.once('connect', () => void pipeline(socket, way, socket).catch(() => undefined))
      way.once('error', () => way.pending && tryNext(others))
    }
    tryNext(hubs)
  })
  onTestFinished(() => void server.close())
  return `mqtt://127.0.0.1:${await listen(server, '127.0.0.1', 0, 'port')}`
}

describe.skipIf(!postgres)('a hub on PostgreSQL', () => {
  const envOn = (url: string, changes: Record<string, string> = {}) =>
    hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `${url}${PATIENT}`, ...changes })
  const database = async () => (await postgres?.database()) ?? ''
  const run = (env: Record<string, string>) => start(process.execPath, ['server/main.ts'], env).ended

  it('answers a callback after a kill as before it, and the speaker hears the payment at another hub', async () => {
    const url = await database()
    const env = envOn(url)
    const { partner, device } = await minted(env)
    const first = await startHubProcess(env)
    expect(readdirSync(env.HUB_DATA_DIR ?? '')).toEqual(['hub.json'])

    let hub = first
    const client = await connectPartner(() => hub.http, partner)
    await (await shopWith(hub, client, device)).client.endAsync(true)
    const callback = signedCallback(partner.clientSecret, { payDate: new Date().toISOString() })
    const answer = await client.call('POST', '/payment/callback', callback)
    expect(answer.status).toBe(200)

    first.child.kill('SIGKILL')
    await first.ended
    hub = await startHubProcess(envOn(url))
    const again = await client.call('POST', '/payment/callback', callback)
    expect([again.status, again.body]).toEqual([200, answer.body])
    const back = await obedientDevice(hub.mqtt, device, { sid: sidOf(2) })
    await back.next('announce')

    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
  })

  it('shares the speakers with another hub, which goes on when one is killed', async () => {
    const url = await database()
    const env = envOn(url)
    const { partner, device } = await minted(env)
    const [first, second] = await Promise.all([startHubProcess(envOn(url)), startHubProcess(envOn(url))])
    const atFirst = await connectPartner(() => first.http, partner)
    const atSecond = await connectPartner(() => second.http, partner)
    // Codes are asked for at one hub and shown at the other.
    const born = await shopWith(second, atFirst, device)
    const payDate = new Date().toISOString()
    const pay = (client: typeof atFirst, ftCode: string) => {
      return client.call(
        'POST',
        '/payment/callback',
        signedCallback(partner.clientSecret, { ftCode, payDate }),
      )
    }
    const heard = () => born.heard.filter(({ t }) => t === 'announce')

    expect((await pay(atFirst, 'FT0001')).status).toBe(200)
    await until('the payment at the other hub', () => heard().length === 1)
    // A hub is not there while it has not beaten for 5 s, and a speaker that has not beeped within 11 s is given up.
    await eventually(async () =>
      expect((await runHub(['device', 'list', '--json'], env)).json).toMatchObject([{ connected: true }]),
    )
    await eventually(async () =>
      expect(await runHub(['device', 'identify', 'SB-0001', '--json'], env)).toMatchObject({
        json: { identified: true },
      }),
    )

    first.child.kill('SIGKILL')
    await first.ended
    expect((await pay(atSecond, 'FT0001')).status).toBe(200)
    expect((await pay(atSecond, 'FT0002')).status).toBe(200)
    await until('the payment at its own hub', () => heard().length === 2)
    await eventually(async () => {
      const { json } = await runHub(['doctor', '--json'], env)
      const { finding } = Object(json).checks.find(({ check }: { check: string }) => check === 'hubs')
      expect(finding).toContain(`process ${second.child.pid}`)
      expect(finding).not.toContain(`process ${first.child.pid}`)
    })
    expect((await runHub(['device', 'revoke', 'SB-0001', '--json'], env)).code).toBe(0)
    await until('the end of the connection', () => born.closed)
  })

  it('hands its speakers over to another hub, and no payment is missed or spoken twice', async () => {
    const url = await database()
    const env = envOn(url, { HUB_DRAIN_S: '4' })
    const serials = Array.from({ length: 20 }, (_, index) => `SB-${1_000 + index}`)
    const { partner, others: devices } = await minted(env, 'SB-0001', ...serials)
    const [first, second] = await Promise.all([startHubProcess(env), startHubProcess(envOn(url))])
    const balancer = await startBalancer([first.mqtt, second.mqtt])
    const client = await connectPartner(() => second.http, partner)
    const shops = await Promise.all(
      devices.map(async (device, index) => {
        const shop = { terminalID: `T-${index}`, ...switchOn(device, balancer), paid: [] as string[] }
        await shop.next('connected')
        await registerOver(client, device.serial, shop.code, { terminalID: shop.terminalID })
        return shop
      }),
    )
    const spoken = () => shops.map(({ all }) => all('announce').map(({ amount }) => amount))
    const statuses: number[] = []
    /** A payment in each shop, of an amount of its own. */
    async function payAll() {
      for (const { terminalID, paid } of shops) {
        const ftCode = `FT${statuses.length}`
        const transactionAmount = String(1_000 * (statuses.length + 1))
        const payment = { terminalID, transactionAmount, ftCode, payDate: new Date().toISOString() }
        const callback = signedCallback(partner.clientSecret, payment)
        statuses.push((await client.call('POST', '/payment/callback', callback)).status)
        paid.push(transactionAmount)
      }
    }
    await payAll()

    const hasStayed = ({ all }: (typeof shops)[number]) => all('connected').length === 1
    first.child.kill('SIGTERM')
    await until('the first to leave', () => !shops.every(hasStayed))
    const readyz = await fetch(`${first.admin}/readyz`)
    expect([readyz.status, await readyz.json()]).toMatchObject([503, { reason: 'draining' }])
    await expect(bornDevice(first.mqtt, { serial: 'SB-0001', key: 'A'.repeat(43) })).rejects.toThrow()
    while (first.child.exitCode === null) {
      await payAll()
      await sleep(300)
    }
    expect((await first.ended).code).toBe(0)
    await payAll()

    await eventually(() => expect(spoken()).toEqual(shops.map(({ paid }) => paid)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(shops.map(({ all }) => [all('connected').length, all('missed')])).toEqual(shops.map(() => [2, []]))
  })

  it('closes all connections at once without a time to hand them over', async () => {
    const env = envOn(await database(), { HUB_DRAIN_S: '0' })
    const hub = await startHubProcess(env)
    const device = await connectDevice(hub.mqtt, (await minted(env)).device)
    hub.child.kill('SIGTERM')
    await until('the end of the connection', () => device.closed)
    expect((await hub.ended).code).toBe(0)
  })

  it('speaks at those that have stayed while it hands its speakers over, and ends at once at a second signal', async () => {
    const url = await database()
    const env = envOn(url, { HUB_DRAIN_S: '3600' })
    const {
      partner,
      device,
      others: [idle],
    } = await minted(env, 'SB-0001', 'SB-0002')
    if (!idle) throw new Error('there are two devices')
    const [hub, other] = await Promise.all([startHubProcess(env), startHubProcess(envOn(url))])
    const client = await connectPartner(() => other.http, partner)
    const leaving = await obedientDevice(hub.mqtt, idle)
    await leaving.next('profile')
    await until('the acks of all', leaving.hasAckedAll)
    const staying = await shopWith(hub, client, device)

    hub.child.kill('SIGTERM')
    await until('the end of a connection', () => leaving.closed)
    const callback = signedCallback(partner.clientSecret, { payDate: new Date().toISOString() })
    expect((await client.call('POST', '/payment/callback', callback)).status).toBe(200)
    await staying.next('announce')
    // Two signals within a second are one.
    await sleep(1_100)
    expect(staying.closed).toBe(false)
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(1)
  })

  it('takes the first host that is a primary', async () => {
    const url = new URL(await database())
    const hosts = `127.0.0.1:${await freePort()},${url.host}`
    const hub = await startHubProcess(envOn(`postgres://postgres@${hosts}${url.pathname}`))
    expect((await fetch(`${hub.http}/readyz`)).status).toBe(200)
  })

  it('is refused at once with a sentence where waiting does not help', async () => {
    const url = await database()
    const none = await run(envOn(`${url}_none`))
    expect(none).toMatchObject({ code: 1, stdout: '' })
    expect(none.stderr).toMatch(/^The PostgreSQL database can't be used \(.* does not exist\): check .*\.\n$/)

    const another = { HUB_MASTER_KEY: testMasterKey('another').toString('base64') }
    expect((await run(envOn(url, another))).stderr).toMatch(
      /^The master key is not the one that this .*\.\n$/,
    )
    const { HUB_MASTER_KEY: _, ...keyless } = envOn(url)
    expect((await run(keyless)).stderr).toMatch(/^Settings are wrong: HUB_MASTER_KEY must be set together/)
  })
})

describe.skipIf(!postgres)('the command line on PostgreSQL', () => {
  const envOn = (url: string) => hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `${url}${PATIENT}` })

  it('creates nothing when it only looks', async () => {
    const env = envOn((await postgres?.bare()) ?? '')
    const lists = await runHub(['partner', 'list', '--json'], env)
    expect(lists).toMatchObject({ code: 1, stdout: '' })
    expect(lists.stderr).toMatch(/^The PostgreSQL database has no tables of the hub: .*\.\n$/)
    const doctor = await runHub(['doctor', '--json'], env)
    expect(doctor.code).toBe(1)
    expect(Object(doctor.json).checks).toContainEqual({
      check: 'data',
      ok: false,
      finding: expect.stringContaining('has no tables'),
    })
    expect(readdirSync(env.HUB_DATA_DIR ?? '')).toEqual([])
  })

  it('refuses what PostgreSQL has its own tools for, and says so', async () => {
    const env = envOn((await postgres?.database()) ?? '')
    for (const args of [
      ['backup', 'file.db'],
      ['restore', 'file.db'],
    ])
      expect(await runHub(args, env)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringMatching(/^The database is in PostgreSQL: .*\.\n$/),
      })
    expect(readdirSync(env.HUB_DATA_DIR ?? '')).toEqual([])
  })

  it('asks the doctor, who names the server, its commits, the clocks and the hubs', async () => {
    const env = envOn((await postgres?.database()) ?? '')
    const hub = await startHubProcess(env)
    // A hub is not there while it has not beaten for 5 s.
    await eventually(async () => {
      const { json } = await runHub(['doctor', '--json'], env)
      const findings = Object.fromEntries(
        Object(json).checks.map(({ check, finding }: { check: string; finding: string }) => [check, finding]),
      )
      expect(findings).toMatchObject({
        data: expect.stringMatching(/^PostgreSQL \d+\.\d+ can be written to; 0 partners, 0 devices$/),
        // The tests' server flushes nothing.
        commits: expect.stringMatching(
          /^A crash of PostgreSQL loses payments .*fsync off, synchronous_commit off/,
        ),
        access: expect.stringMatching(/^every role .* may connect .*REVOKE CONNECT.* ON DATABASE "test_\d+"/),
        clock: expect.stringMatching(/^this machine's clock is \d+ ms (behind|ahead of) PostgreSQL's$/),
        hubs: expect.stringContaining(`process ${hub.child.pid}`),
        hub: expect.stringContaining(hub.http),
      })
    })
    const owner = new Client(env.HUB_DATABASE_URL?.replace(PATIENT, ''))
    await owner.connect()
    onTestFinished(() => owner.end())
    await owner.query(`REVOKE CONNECT ON DATABASE ${owner.database} FROM PUBLIC`)
    expect(Object((await runHub(['doctor', '--json'], env)).json).checks).toContainEqual({
      ...{ check: 'access', ok: true },
      finding: 'only roles that were granted it may connect to the database',
    })
  })
})
