import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { reportServer } from '../../../../server/storage/postgres/engine/server-report.ts'
import { tmpfsDisk } from '../../../force/parts/small-disk.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { startPostgres } from '../../../support/processes/postgres.ts'
import { hubEnv } from '../../../support/processes/process.ts'
import { startShop } from '../../../support/processes/shop.ts'
import { eventually } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

/** What `GET /readyz` would say, and what `hub doctor` says. */
async function verdicts(url: string, ping: () => Promise<void>) {
  const said = ping().then(
    () => 'ready',
    (error) => String(error.cause?.message),
  )
  return [await said, (await reportServer(url, Date.now)).cantWrite]
}

const READY = ['ready', undefined]
const both = (cause: string) => [expect.stringContaining(cause), expect.stringContaining(cause)]

describe.skipIf(!postgres)('a database that can store no payment', () => {
  async function opened() {
    if (!postgres) throw new Error('the tests are skipped without PostgreSQL')
    const url = await postgres.database()
    const admin = new Client(url)
    await admin.connect()
    onTestFinished(() => admin.end())
    return { postgres, url, admin, database: new URL(url).pathname.slice(1) }
  }

  it('that is read-only is found before a payment is', async () => {
    const { postgres, url, admin, database } = await opened()
    const { ping } = await postgres.open(url)
    await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    // The first use of each connection says that it was ended.
    await eventually(async () => expect(await verdicts(url, ping)).toEqual(both('read-only transaction')))
  })

  it('whose role lacks a right is found before a payment is; callbacks get 503, and the log says why once', async () => {
    const { admin, url, database } = await opened()
    const role = `limited_${database}`
    await admin.query(`CREATE ROLE ${role} LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
    await admin.query(`GRANT ALL ON SCHEMA public TO ${role}; ALTER DATABASE ${database} OWNER TO ${role}`)
    onTestFinished(async () => {
      await admin.query(`REASSIGN OWNED BY ${role} TO postgres; DROP OWNED BY ${role}; DROP ROLE ${role}`)
    })
    const own = url.replace('postgres@', `${role}@`)
    const { hub, pay } = await startShop(hubEnv(temporaryFolder(), { HUB_DATABASE_URL: own }))
    const ready = async () => Object(await (await fetch(`${hub.http}/readyz`)).json())
    expect(await ready()).toEqual({ status: 'not ready', reason: 'storage' })
    expect((await reportServer(own, Date.now)).cantWrite).toContain('lacks USAGE on payments_number_seq')
    await admin.query(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`)
    expect(await ready()).toEqual({ status: 'ready' })

    await admin.query(`REVOKE INSERT ON payments FROM ${role}`)
    expect(await ready()).toEqual({ status: 'not ready', reason: 'storage' })
    expect((await reportServer(own, Date.now)).cantWrite).toContain('lacks INSERT on payments')
    for (const ftCode of ['FT1', 'FT2', 'FT3']) {
      const { status, body, headers } = await pay(ftCode)
      expect([status, Object(body).code, headers.get('Retry-After')]).toEqual([503, 50300, '1'])
    }
    await admin.query(`GRANT INSERT ON payments TO ${role}`)
    expect(await ready()).toEqual({ status: 'ready' })
    expect((await pay('FT1')).status).toBe(200)
    hub.child.kill('SIGTERM')
    const { stderr } = await hub.ended
    const refusals = stderr.split('\n').filter((line) => line.includes('the storage refuses requests'))
    expect(refusals).toEqual([expect.stringContaining('permission denied for table payments')])
  })

  it('whose disk is full is found while rows still fit into their pages', async () => {
    const disk = tmpfsDisk({ onEnd: onTestFinished })
    if ('missing' in disk) return
    const server = await startPostgres(disk.dataDir)
    if (!server || !postgres) throw new Error('PostgreSQL did not start')
    onTestFinished(() => server.stop())
    const { ping } = await postgres.open(server.url)
    expect(await verdicts(server.url, ping)).toEqual(READY)
    const nobody = { pid: () => process.pid }
    disk.fill(nobody)
    expect(await verdicts(server.url, ping)).toEqual(both('No space left on device'))
    disk.makeRoom(nobody)
    expect(await verdicts(server.url, ping)).toEqual(READY)
  })
})
