import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../server/security/vault.ts'
import { signedCallback } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { sidOf } from '../../../support/mqtt/mqtt-device.ts'
import { obedientDevice, shopWith } from '../../../support/mqtt/obedient-device.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../support/processes/process.ts'
import { minted } from '../../../support/processes/shop.ts'
import { TEST_MASTER_KEY, testMasterKey } from '../../../support/storage.ts'
import { until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

const [FIRST, SECOND] = [TEST_MASTER_KEY, testMasterKey('the second')]
const [FIRST_ID = '', SECOND_ID = ''] = createVault(FIRST, SECOND).keyIds
const ONE = { HUB_MASTER_KEY: FIRST.toString('base64') }
const BOTH = { ...ONE, HUB_NEXT_MASTER_KEY: SECOND.toString('base64') }
const OTHER = { HUB_MASTER_KEY: SECOND.toString('base64') }

describe.skipIf(!postgres)('hub master-key rotate on PostgreSQL', () => {
  it('changes the key beside hubs that take payments, and goes on after kill -9', async () => {
    const url = (await postgres?.database()) ?? ''
    const envOf = (keys: Record<string, string>) =>
      hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `${url}${PATIENT}`, HUB_DRAIN_S: '0', ...keys })
    const both = envOf(BOTH)
    const json = async (...args: string[]) => Object((await runHub([...args, '--json'], both)).json)
    const { partner, device } = await minted(both)

    const first = await startHubProcess(envOf(ONE))
    let [hub, second] = [first, await startHubProcess(both)]
    const client = await connectPartner(() => hub.http, partner)
    let [speaker, sid] = [await shopWith(hub, client, device), 1]
    const statuses: number[] = []
    async function pay(ftCode: string) {
      const callback = signedCallback(partner.clientSecret, { ftCode, payDate: PAID_AT })
      const answer = await client.call('POST', '/payment/callback', callback)
      statuses.push(answer.status)
      return answer.body
    }
    const [PAID_AT, heard] = [new Date().toISOString(), new Set<number>()]
    const answer = await pay('FT-0')
    /** Pays at a hub, with a speaker that logs in there anew. */
    async function payAt(one: typeof hub) {
      hub = one
      await speaker.client.endAsync(true)
      sid += 1
      speaker = await obedientDevice(hub.mqtt, device, { sid: sidOf(sid) })
      await pay(`FT-${sid}`)
      await until('the payment at the speaker', () => speaker.heard.some(({ t }) => t === 'announce'))
      heard.add(sid)
      expect(await pay('FT-0')).toEqual(answer)
    }

    const early = await runHub(['master-key', 'rotate', '--json'], both)
    expect(early).toMatchObject({ code: 1, stdout: '' })
    expect(early.stderr).toMatch(new RegExp(`^1 of the running hubs lack .*process ${first.child.pid}`))
    expect((await runHub(['master-key', 'rotate'], envOf(ONE))).stderr).toMatch(/^HUB_NEXT_MASTER_KEY is not/)
    first.child.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
    const third = await startHubProcess(envOf(BOTH))

    // A payment that is locked keeps the command from its end.
    const other = new Client(url)
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('BEGIN; SELECT FROM payments FOR NO KEY UPDATE')
    const rotating = start(process.execPath, ['server/operate/cli/main.ts', 'master-key', 'rotate'], both)
    const keyOfDevice = async () => {
      const { rows } = await other.query("SELECT encode(substr(key, 2, 4), 'hex') AS id FROM devices")
      return rows[0]?.id
    }
    await until('the device under the second key', async () => (await keyOfDevice()) === SECOND_ID)
    await payAt(second)
    rotating.child.kill('SIGKILL')
    await rotating.ended
    await payAt(third)
    await payAt(second)

    const lacking = await start(process.execPath, ['server/main.ts'], envOf(OTHER)).ended
    expect(lacking).toMatchObject({ code: 1, stdout: '' })
    expect(lacking.stderr).toMatch(
      new RegExp(`previous master key \\(${FIRST_ID}\\): set HUB_NEXT_MASTER_KEY`),
    )
    const midway = await runHub(['master-key', 'status', '--json'], both)
    expect(midway).toMatchObject({ code: 1, json: { inForce: SECOND_ID, previous: [{ id: FIRST_ID }] } })
    // A hub may seal under the key before for up to ten seconds after the change.
    expect(Object(midway.json).values.payments[FIRST_ID]).toBeGreaterThan(0)
    expect(await json('doctor')).toMatchObject({
      checks: expect.arrayContaining([
        { check: 'key', ok: true, finding: expect.stringContaining(`still need ${FIRST_ID}`) },
      ]),
    })

    await other.query('COMMIT')
    const again = start(
      process.execPath,
      ['server/operate/cli/main.ts', 'master-key', 'rotate', '--json'],
      both,
    )
    for (let round = 0; again.child.exitCode === null; round += 1)
      await payAt(round % 2 === 0 ? third : second)
    expect((await again.ended).code).toBe(0)
    expect(again.events()).toMatchObject([{ rotated: true, keyId: SECOND_ID, previousKeyId: FIRST_ID }])

    for (const one of [second, third]) {
      one.child.kill('SIGTERM')
      expect((await one.ended).code).toBe(0)
    }
    second = await startHubProcess(envOf(OTHER))
    await payAt(second)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(heard.size).toBe(sid - 1)
    const clean = await runHub(['master-key', 'status', '--json'], envOf(OTHER))
    expect(clean).toMatchObject({ code: 0, json: { isClean: true, inForce: SECOND_ID, previous: [] } })
  })

  it('counts the values of a database on PostgreSQL alone', async () => {
    const status = await runHub(['master-key', 'status'], hubEnv(temporaryFolder()))
    expect(status).toMatchObject({ code: 1, stdout: '' })
    expect(status.stderr).toMatch(/^The database is in the data folder, /)
  })
})
