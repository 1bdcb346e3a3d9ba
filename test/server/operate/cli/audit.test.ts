import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { audit } from '../../../../server/operate/cli/audit.ts'
import type { Actor } from '../../../../server/security/actor.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { hubCommand } from '../../../support/hub-command.ts'
import { layDatabase, openTestStorage, TEST_MASTER_KEY, testMasterKey } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { AT, createShop } from '../../storage/shop.ts'

const { prepare } = Database.prototype
const me = userInfo().username

beforeEach(() => {
  vi.stubEnv('HUB_MASTER_KEY', TEST_MASTER_KEY.toString('base64'))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** A data folder with an empty database, that the commands find. */
function dataFolder(folder = temporaryFolder()): string {
  layDatabase(join(folder, 'hub.db'))
  vi.stubEnv('HUB_DATA_DIR', folder)
  return folder
}

/** Runs a command; its JSON, its errors and its exit code. */
async function hub(...args: string[]) {
  const { out, err, code } = await hubCommand([...args, '--json'])
  const json: unknown = out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : undefined
  return { json, out, err, code: code ?? 0 }
}

const rowsOf = async (...args: string[]) => {
  const { json } = await hub('audit', ...args)
  if (!Array.isArray(json)) throw new Error('the audit is an array')
  return json
}

/** A text of an answer. */
const said = ({ json }: { json: unknown }, name: string) => String(Object(json)[name])

it('has one row for each change of a command, by the system user who ran it, and none for a refusal', async () => {
  const folder = dataFolder()
  const [created, added] = [
    await hub('partner', 'create', '--name', 'Acme'),
    await hub('device', 'add', '--serial', 'SB-0001'),
  ]
  const clientId = said(created, 'clientId')
  const rotated = await hub('partner', 'rotate-secret', clientId)
  const backup = join(folder, 'backup.db')
  for (const args of [
    ['device', 'settings', 'SB-0001', '--volume', '60', '--lang', 'vi'],
    ['device', 'settings', 'SB-0001'],
    ['device', 'rotate', 'SB-0001'],
    ['device', 'update', 'SB-0001', '--withdraw'],
    ['clock', 'confirm'],
    ['device', 'list'],
    ['partner', 'disable', clientId],
    ['partner', 'enable', clientId],
    ['backup', backup],
    ['device', 'revoke', 'SB-0001'],
  ])
    expect(await hub(...args)).toMatchObject({ code: 0, err: '' })
  for (const args of [
    ['device', 'add', '--serial', 'SB-0001'],
    ['device', 'revoke', 'SB-NONE'],
    ['device', 'identify', 'SB-0001'],
    ['partner', 'disable', 'sbc_none'],
    ['backup', backup],
  ])
    expect(await hub(...args)).toMatchObject({ code: 1 })

  const rows = (await rowsOf()).reverse()
  expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
    ['partner.create', clientId],
    ['device.add', 'SB-0001'],
    ['partner.rotate-secret', clientId],
    ['device.settings', 'SB-0001'],
    ['device.rotate', 'SB-0001'],
    ['device.update', 'SB-0001'],
    ['clock.confirm', ''],
    ['partner.disable', clientId],
    ['partner.enable', clientId],
    ['database.backup', backup],
    ['device.revoke', 'SB-0001'],
  ])
  for (const row of rows) {
    expect(row).toMatchObject({ actorKind: 'operator', actor: me })
    expect(row.details).not.toHaveProperty('via')
  }
  const secrets = [said(created, 'clientSecret'), said(rotated, 'clientSecret'), said(added, 'key')]
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(40)
    expect(JSON.stringify(rows)).not.toContain(secret)
  }
})

it('says in a restored database that it was restored, and in a rotated one that the key was', async () => {
  const folder = dataFolder()
  const next = testMasterKey('the next').toString('base64')
  vi.stubEnv('HUB_NEXT_MASTER_KEY', next)
  const backup = join(folder, 'backup.db')
  await hub('backup', backup)
  await hub('device', 'add', '--serial', 'SB-LATER')
  expect(await hub('restore', backup)).toMatchObject({ code: 0 })
  expect(await hub('master-key', 'rotate')).toMatchObject({ code: 0 })
  vi.stubEnv('HUB_MASTER_KEY', next)
  expect(await rowsOf()).toMatchObject([
    { action: 'master-key.rotate', actor: me, details: { codesEnded: 0 } },
    { action: 'database.restore', actor: me, subject: backup },
  ])
})

it('lets a backup be taken from a full disk, and then leaves no row', async () => {
  const folder = dataFolder()
  vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, text) {
    if (text.startsWith('INSERT INTO audit'))
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
    return prepare.call(this, text)
  })
  expect(await hub('backup', join(folder, 'backup.db'))).toMatchObject({ code: 0 })
  expect(existsSync(join(folder, 'backup.db'))).toBe(true)
  expect(await rowsOf()).toEqual([])
})

it('filters and goes by pages', async () => {
  dataFolder()
  for (const serial of ['SB-0001', 'SB-0002', 'SB-0003']) await hub('device', 'add', '--serial', serial)
  await hub('device', 'revoke', 'SB-0002')
  const subjects = async (...args: string[]) => (await rowsOf(...args)).map(({ subject }) => subject)
  expect(await subjects('--action', 'device.a')).toEqual(['SB-0003', 'SB-0002', 'SB-0001'])
  expect(await subjects('--subject', 'SB-0002', '--since', '1h', '--actor', me)).toHaveLength(2)
  expect(await subjects('--since', '2999-01-01T00:00:00Z')).toEqual([])
  expect(await subjects('--actor', 'partner')).toEqual([])
  const [first] = await rowsOf('--limit', '1')
  expect(await subjects('--limit', '2', '--before', String(first.id))).toEqual(['SB-0003', 'SB-0002'])
})

it.each([
  ['--limit', '0'],
  ['--limit', '1001'],
  ['--limit', 'x'],
  ['--before', '0'],
  ['--since', 'today'],
])('refuses %s %s as wrong usage', async (...args) => {
  dataFolder()
  expect(await hub('audit', ...args)).toMatchObject({ code: 2, out: '' })
})

it('only looks: without a folder or a database it says so and makes nothing', async () => {
  const parent = temporaryFolder()
  for (const folder of [join(parent, 'none'), join(parent, 'empty')]) {
    if (folder.endsWith('empty')) mkdirSync(folder)
    vi.stubEnv('HUB_DATA_DIR', folder)
    const { code, err } = await hub('audit')
    expect({ code, err }).toEqual({
      code: 1,
      err: `There is no database in ${folder}: set HUB_DATA_DIR to the hub's folder; the first start (npm start) makes one.\n`,
    })
  }
  expect(existsSync(join(parent, 'none'))).toBe(false)
  expect(readdirSync(join(parent, 'empty'))).toEqual([])
})

it('does not call a folder empty that it may not read', async () => {
  const folder = join(temporaryFolder(), 'loop')
  symlinkSync(folder, folder)
  vi.stubEnv('HUB_DATA_DIR', folder)
  const { code, err } = await hub('audit')
  expect(code).toBe(1)
  expect(err).toMatch(
    /^The data folder can't be read \(ELOOP.*\): run the command as the user of the hub\.\n$/,
  )
})

it('leaves the database as it is', async () => {
  dataFolder()
  await hub('device', 'add', '--serial', 'SB-0001')
  const before = await rowsOf()
  expect(await rowsOf()).toEqual(before)
  expect(before).toHaveLength(1)
})

it('shows a table for a person, printable only, with the way to older rows', async () => {
  const { file } = openTestStorage()
  const options = storageOptions({ vault: createVault(TEST_MASTER_KEY) })
  const storage = openSqliteStorage(file, options)
  onTestFinished(() => void storage.close())
  const clientId = await createShop(storage).partner('sbc_1')
  const eve: Actor = { kind: 'operator', name: 'eve\u009b2J\u202e', from: 'command' }
  await storage.devices.mint(eve, {
    ...{ id: 'id', serial: 'SB-0001', key: Buffer.alloc(32), loginHash: Buffer.alloc(32), at: AT },
  })
  const page = await audit({ storage }, { limit: 1 })
  expect(page.text.split('\n')).toEqual([
    expect.stringMatching(/^ID +TIME +ACTOR +ACTION +SUBJECT +DETAILS$/),
    '2   2026-11-20 03:00:00+00:00  eve\\u009b2J\\u202e (operator)  device.add  SB-0001  -',
    'Older ones: add --before 2',
  ])
  const rest = await audit({ storage }, { limit: 5, before: 2 })
  expect(rest.text).toMatch(new RegExp(`partner.create +${clientId} +{"name":"Acme"}$`))
  expect((await audit({ storage }, { limit: 5, before: 1 })).text).toBe('No change found.')
})
