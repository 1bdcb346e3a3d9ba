import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { signedCallback } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { sidOf } from '../../../support/mqtt/mqtt-device.ts'
import { obedientDevice, shopWith } from '../../../support/mqtt/obedient-device.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { freePort } from '../../../support/processes/free-port.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../support/processes/process.ts'
import { testMasterKey } from '../../../support/storage.ts'
import { eventually, until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('a hub on PostgreSQL', () => {
  const envOn = (url: string, changes: Record<string, string> = {}) =>
    hubEnv(temporaryFolder(), { HUB_DATABASE_URL: url, ...changes })
  const database = async () => (await postgres?.database()) ?? ''
  const run = (env: Record<string, string>) => start(process.execPath, ['server/main.ts'], env).ended

  it('answers a callback after a kill as before it, and the speaker hears the payment at another hub', async () => {
    const url = await database()
    const env = envOn(url)
    const partner = Object((await runHub(['partner', 'create', '--name', 'Acme', '--json'], env)).json)
    const device = Object((await runHub(['device', 'add', '--serial', 'SB-0001', '--json'], env)).json)
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
    const partner = Object((await runHub(['partner', 'create', '--name', 'Acme', '--json'], env)).json)
    const device = Object((await runHub(['device', 'add', '--serial', 'SB-0001', '--json'], env)).json)
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
    expect((await runHub(['device', 'list', '--json'], env)).json).toMatchObject([{ connected: true }])
    expect(await runHub(['device', 'identify', 'SB-0001', '--json'], env)).toMatchObject({
      json: { identified: true },
    })

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
  const envOn = (url: string) => hubEnv(temporaryFolder(), { HUB_DATABASE_URL: url })

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
      ['master-key', 'rotate'],
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
    const { json } = await runHub(['doctor', '--json'], env)
    const findings = Object.fromEntries(
      Object(json).checks.map(({ check, finding }: { check: string; finding: string }) => [check, finding]),
    )
    expect(findings).toMatchObject({
      data: expect.stringMatching(/^PostgreSQL \d+\.\d+ may be written; 0 partners, 0 devices$/),
      // The tests' server flushes nothing.
      commits: expect.stringMatching(
        /^A crash of PostgreSQL loses payments .*fsync off, synchronous_commit off/,
      ),
      clock: expect.stringMatching(/^this machine's clock is \d+ ms (behind|ahead of) PostgreSQL's$/),
      hubs: expect.stringContaining(`process ${hub.child.pid}`),
      hub: expect.stringContaining(hub.http),
    })
  })
})
