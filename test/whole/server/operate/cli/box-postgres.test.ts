import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { hubEnv, runHub } from '../../../../support/processes/process.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('the commands of boxes on PostgreSQL', () => {
  it('add and refuse boxes, store profiles, and look at both', async () => {
    if (!postgres) throw new Error('the tests are skipped without PostgreSQL')
    const folder = temporaryFolder()
    const env = hubEnv(folder, { HUB_DATABASE_URL: await postgres.database(), HUB_BOX_PORT: '0' })
    const hub = (...args: string[]) => runHub([...args, '--json'], env)
    const file = join(folder, 'own.json')
    const write = (change: object) => {
      writeFileSync(file, JSON.stringify({ ...Object(shipped.json), name: 'own', ...change }))
    }
    const add = (serial: string, profile: string) =>
      hub('device', 'add', '--profile', profile, '--serial', serial)

    expect((await add('BOX-0001', 'hemipay')).json).toMatchObject({
      wireId: 'BOX-0001',
      password: expect.stringMatching(/^\w{16}$/),
    })
    const shipped = await hub('profile', 'show', 'hemipay')
    write({ keypad: false })
    expect(await add('BOX-0002', file)).toMatchObject({ code: 0 })
    expect((await add('BOX-0001', file)).stderr).toMatch(/^The serial BOX-0001 is taken/)
    write({ wireId: 'BOX-{serial}' })
    expect((await add('0001', file)).stderr).toMatch(/^Another profile is stored as own/)
    expect((await hub('profile', 'save', file)).json).toMatchObject({ replaced: true, devices: 1 })
    expect((await add('0001', 'own')).stderr).toMatch(/^The wire id BOX-0001 is taken by device BOX-0001/)

    const { json } = await hub('device', 'show', 'BOX-0002')
    expect(json).toMatchObject({ dialect: 'hemipay', profile: 'own', wireId: 'BOX-0002', proof: 'accepted' })
    const listed = await hub('device', 'list', '--dialect', 'hemipay', '--limit', '1')
    expect(listed.json).toMatchObject([{ serial: 'BOX-0002', profile: 'own', identity: 'device' }])
    const { stdout } = await hub('audit')
    expect(Object(JSON.parse(stdout)).map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['device.add', 'profile.save']),
    )
  })
})
