import { Client } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../../simulator/platform/free-port.ts'
import { temporaryFolder, withFile } from '../../../support/folder.ts'
import { sidOf } from '../../../support/mqtt/mqtt-device.ts'
import { obedientDevice } from '../../../support/mqtt/obedient-device.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/processes/postgres.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../support/processes/process.ts'
import { minted, startShop } from '../../../support/processes/shop.ts'
import { startStandby } from '../../../support/processes/standby.ts'
import { eventually, until } from '../../../support/wait.ts'

const isThere = (await findPostgres()) !== undefined

describe.skipIf(!isThere)('PostgreSQL that stops and comes back', () => {
  const onEnd = withFile()
  let postgres: PostgresServer
  beforeAll(async () => {
    const server = await startPostgres(temporaryFolder(onEnd))
    if (!server) throw new Error('PostgreSQL did not start')
    onEnd(() => server.stop())
    postgres = server
  })

  const readiness = async (base: string) => {
    const response = await fetch(`${base}/readyz`)
    return [response.status, Object(await response.json()).reason]
  }

  it('refuses payments meanwhile, keeps the speakers, and lets them hear what is reported again', async () => {
    const env = hubEnv(temporaryFolder(), { HUB_DATABASE_URL: postgres.url })
    const { hub, born, pay } = await startShop(env)
    const report = () => pay('FT0001')

    // All acks are stored: one that can't be closes the connection, so that the speaker sends it again.
    await postgres.stop()
    const refused = await report()
    expect([refused.status, Object(refused.body).code, refused.headers.get('Retry-After')]).toEqual([
      503,
      50300,
      '1',
    ])
    expect(await readiness(hub.http)).toEqual([503, 'storage'])
    expect(await readiness(hub.admin)).toEqual([503, 'storage'])

    await postgres.start()
    await eventually(async () => expect(await readiness(hub.http)).toEqual([200, undefined]))
    await eventually(async () => expect((await report()).status).toBe(200))
    const heard = await born.next('announce')
    expect(born.closed).toBe(false)
    expect(born.heard.filter(({ t }) => t === 'announce').map(({ n }) => n)).toEqual([heard.n])
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
  })

  it('is waited for at the start, and the hub says so once', async () => {
    await postgres.stop()
    const adminPort = String(await freePort())
    const env = hubEnv(temporaryFolder(), {
      ...{ HUB_DATABASE_URL: postgres.url, HUB_DATABASE_WAIT_S: '3600' },
      HUB_ADMIN_PORT: adminPort,
    })
    const hub = start(process.execPath, ['server/main.ts'], env)
    await until('the warning', () => hub.stderr().includes('the hub tries again'))
    expect(await readiness(`http://127.0.0.1:${adminPort}`)).toEqual([503, 'starting'])
    await postgres.start()
    await until('the ready line', () => hub.events()[0])
    expect(hub.stderr().match(/tries again/g)).toHaveLength(1)
  })

  it('is given up after HUB_DATABASE_WAIT_S, with one sentence', async () => {
    const env = hubEnv(temporaryFolder(), {
      HUB_DATABASE_URL: `postgres://hub:secret@127.0.0.1:${await freePort()}/hub`,
      ...{ HUB_DATABASE_WAIT_S: '1', HUB_LOG_LEVEL: 'error' },
    })
    const ended = await start(process.execPath, ['server/main.ts'], env).ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(
      /^PostgreSQL can't be reached \(127\.0\.0\.1:\d+: .*ECONNREFUSED.*\): check .*\.\n$/,
    )
    const command = await runHub(['partner', 'list'], env)
    expect(command).toMatchObject({ code: 1, stdout: '', stderr: ended.stderr })
    expect(ended.stderr).not.toContain('secret')
  })

  it('does not keep a hub from stopping', async () => {
    const hub = await startHubProcess(hubEnv(temporaryFolder(), { HUB_DATABASE_URL: postgres.url }))
    await postgres.stop()
    await until('the loss', async () => (await readiness(hub.http))[0] === 503)
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
    await postgres.start()
  })

  it('does not keep a signal waiting at the start', async () => {
    const env = hubEnv(temporaryFolder(), {
      HUB_DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/hub`,
    })
    const hub = start(process.execPath, ['server/main.ts'], env)
    await until('the warning', () => hub.stderr().includes('the hub tries again'))
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
  })
})

describe.skipIf(!isThere)('a standby that takes over', () => {
  it('has all that was answered, and the speaker stays and hears the next payment', async () => {
    const primary = await startPostgres(temporaryFolder())
    if (!primary) throw new Error('PostgreSQL did not start')
    onTestFinished(() => primary.stop())
    const standby = await startStandby(primary, temporaryFolder(), { synchronous: true })
    onTestFinished(() => standby.stop())

    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',')
    const env = hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `postgres://postgres@${hosts}/postgres` })
    const { born, pay } = await startShop(env)
    const first = await pay('FT0001')
    expect(first.status).toBe(200)
    await born.next('announce')
    await until('the acks of all', born.hasAckedAll)

    await primary.stop('SIGKILL')
    expect((await pay('FT0002')).status).toBe(503)
    const admin = new Client(standby.url)
    await admin.connect()
    await admin.query('SELECT pg_promote()')
    await admin.end()
    await eventually(async () => expect((await pay('FT0002')).status).toBe(200))
    expect((await pay('FT0001')).body).toEqual(first.body)
    await until('the payment', () => born.heard.filter(({ t }) => t === 'announce').length === 2)
    expect(born.closed).toBe(false)
  })

  it('may lack what was answered: every speaker is disconnected, and hears the next payment once it is born', async () => {
    const primary = await startPostgres(temporaryFolder())
    if (!primary) throw new Error('PostgreSQL did not start')
    onTestFinished(() => primary.stop())
    const standby = await startStandby(primary, temporaryFolder())
    onTestFinished(() => standby.stop())

    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',')
    const env = hubEnv(temporaryFolder(), {
      HUB_DATABASE_URL: `postgres://postgres@${hosts}/postgres`,
      HUB_LOG_LEVEL: 'info',
    })
    const { hub, device, born, pay } = await startShop(env)
    await until('the kind of failover', () => hub.stderr().includes('a failover may lose the last ones'))
    const other = await startHubProcess(env)
    const idle = (await minted(env, 'SB-0002')).device
    const silent = await obedientDevice(other.mqtt, idle, { sid: sidOf(2) })
    await silent.next('welcome')
    const admin = new Client(primary.url)
    await admin.connect()
    await until('a standby that has it all', async () => {
      const { rows } = await admin.query(
        'SELECT FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()',
      )
      return rows.length === 1
    })
    await admin.end()

    // What is answered and spoken now is lost.
    await standby.stop()
    for (const ftCode of ['FT0001', 'FT0002', 'FT0003']) expect((await pay(ftCode)).status).toBe(200)
    const announced = () => born.heard.filter(({ t }) => t === 'announce')
    await until('the acks of all', () => announced().length === 3 && born.hasAckedAll())
    const played = Math.max(...born.heard.map(({ n }) => n))
    await primary.stop('SIGKILL')
    await standby.start()
    const promoting = new Client(standby.url)
    await promoting.connect()
    await promoting.query('SELECT pg_promote()')
    await promoting.end()
    await until('the end of the connections', () => born.closed && silent.closed)
    expect(born.heard.filter(({ n }) => n > played)).toEqual([])
    await until('the warning', () => hub.stderr().includes('may lack the last payments'))

    const back = await until('a connection', () =>
      obedientDevice(hub.mqtt, device, { sid: sidOf(3) }).catch(() => undefined),
    )
    await back.birth({ played })
    await eventually(async () => expect((await pay('FT0004')).status).toBe(200))
    expect((await back.next('announce')).n).toBeGreaterThan(played)
  })
})
