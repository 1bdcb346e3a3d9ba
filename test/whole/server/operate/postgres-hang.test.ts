import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder, withFile } from '../../../support/folder.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/processes/postgres.ts'
import { hubEnv } from '../../../support/processes/process.ts'
import { startShop } from '../../../support/processes/shop.ts'
import { eventually, until } from '../../../support/wait.ts'

/** Attempts at a PostgreSQL that is known to hang. */
const ATTEMPTS = 10
const PAYMENTS = 20

const isThere = (await findPostgres()) !== undefined && process.platform === 'linux'

describe.skipIf(!isThere)('PostgreSQL that hangs', () => {
  const onEnd = withFile()
  let postgres: PostgresServer
  beforeAll(async () => {
    const server = await startPostgres(temporaryFolder(onEnd))
    if (!server) throw new Error('PostgreSQL did not start')
    onEnd(() => server.stop())
    postgres = server
  })
  afterEach(() => postgres.goOn())

  const openShop = (serial: string) =>
    startShop(hubEnv(temporaryFolder(), { HUB_DATABASE_URL: postgres.url, HUB_LOG_LEVEL: 'info' }), serial)

  it('refuses at once when that is known, keeps the speaker, and loses and doubles nothing', async () => {
    const { hub, client, born, pay } = await openShop('SB-0001')
    expect((await pay('FT0000')).status).toBe(200)
    const first = await born.next('announce')
    await until('the acks of all', born.hasAckedAll)

    postgres.hang()
    const from = performance.now()
    const codes = Array.from({ length: PAYMENTS }, (_, index) => `FT${1000 + index}`)
    const unsure = await Promise.all(codes.map(pay))
    const foundMs = performance.now() - from
    expect(unsure.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(
      codes.map(() => [503, '1']),
    )
    const ack = born.ack(first, 'played')
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      expect((await pay('FT1000')).status).toBe(503)
      expect((await client.call('GET', '/device')).status).toBe(503)
    }
    // Twenty that wait take far longer than the first ones; how much shorter they are without a wait is the machine's matter.
    expect(performance.now() - from - foundMs).toBeLessThan(3 * foundMs)
    const ready = await fetch(`${hub.admin}/readyz`)
    expect([ready.status, Object(await ready.json()).reason]).toEqual([503, 'storage'])

    postgres.goOn()
    for (const code of codes) await eventually(async () => expect((await pay(code)).status).toBe(200))
    await ack
    const announced = () => born.heard.filter(({ t }) => t === 'announce').map(({ n }) => n)
    await until('the payments', () => announced().length === 1 + PAYMENTS && born.hasAckedAll())
    expect([new Set(announced()).size, born.closed]).toEqual([1 + PAYMENTS, false])
    const said = (what: string) => hub.stderr().split(what).length - 1
    await until('the end in the log', () => said('the storage is back') === 1)
    expect([said('the storage is away'), said('request failed')]).toEqual([1, 0])
  })

  it('does not keep a hub from stopping', async () => {
    const { hub, pay } = await openShop('SB-0002')
    postgres.hang()
    expect((await pay('FT0001')).status).toBe(503)
    hub.child.kill('SIGTERM')
    expect((await hub.ended).code).toBe(0)
    postgres.goOn()
  })
})
