import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { hubEnv, runHub, startHubProcess } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

/** Settings without a master key: it is a file in the folder. */
const envOf = (folder: string) => hubEnv(folder, { HUB_MASTER_KEY: '' })

/** Every file of a folder with its bytes, and when it was written. */
function contentOf(folder: string): Record<string, string> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  return Object.fromEntries(
    names.map((name) => {
      const file = join(folder, name)
      return [name, `${statSync(file).mtimeMs} ${readFileSync(file).toString('base64')}`]
    }),
  )
}

const LOOKS = [
  ['doctor'],
  ['partner', 'list'],
  ['device', 'list'],
  ['device', 'settings', 'SB-0001'],
  ['pay', '--client', 'c', '--terminal', 't', '--bank', 'b', '--amount', '1'],
]
/** They change what is there. */
const CHANGES = [
  ['device', 'identify', 'SB-0001'],
  ['device', 'revoke', 'SB-0001'],
  ['partner', 'disable', 'c'],
]

/** A folder with a partner, made by commands. */
async function usedFolder() {
  const folder = temporaryFolder()
  expect(await runHub(['partner', 'create', '--name', 'Acme'], envOf(folder))).toMatchObject({ code: 0 })
  return folder
}

describe('a command that makes no folder', () => {
  it.each([...LOOKS, ...CHANGES])(
    'makes nothing where there is nothing, and says so: %s %s',
    async (...command) => {
      const folder = join(temporaryFolder(), 'absent')
      for (const env of [envOf(folder), hubEnv(folder)]) {
        const ended = await runHub([...command, '--json'], env)
        expect(ended.code).toBe(1)
        expect(`${ended.stdout}${ended.stderr}`).toMatch(/There is no database in .*HUB_DATA_DIR/)
      }
      expect(existsSync(folder)).toBe(false)
    },
  )

  it('leaves every file of a folder as it is, also the log of a hub that was killed', async () => {
    const folder = await usedFolder()
    for (const isKilled of [false, true]) {
      if (isKilled) {
        const hub = await startHubProcess(envOf(folder))
        await fetch(`${hub.http}/readyz`)
        hub.child.kill('SIGKILL')
        await hub.ended
      }
      const before = contentOf(folder)
      expect(Object.keys(before).includes('hub.db-wal')).toBe(isKilled)
      for (const command of LOOKS.slice(0, 3))
        expect((await runHub(command, envOf(folder))).code, command.join(' ')).toBe(0)
      const { 'hub.db-shm': _, ...after } = contentOf(folder)
      const { 'hub.db-shm': __, ...kept } = before
      expect(after).toEqual(kept)
    }
  })

  it('migrates nothing: it says that the database is from an earlier version', async () => {
    const folder = await usedFolder()
    const database = new Database(join(folder, 'hub.db'))
    database.exec(
      'DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
    )
    database.close()
    const before = contentOf(folder)
    for (const command of LOOKS) {
      const ended = await runHub([...command, '--json'], envOf(folder))
      expect(ended.code).toBe(1)
      expect(`${ended.stdout}${ended.stderr}`).toContain(
        'is from an earlier version of the hub: start this version once',
      )
    }
    expect(contentOf(folder)).toEqual(before)
  })

  it('settles nothing: doctor tells of a key that has not its name yet', async () => {
    const folder = await usedFolder()
    copyFileSync(join(folder, 'master.key'), join(folder, 'master.key.next'))
    rmSync(join(folder, 'master.key'))
    const before = contentOf(folder)
    expect(await runHub(['partner', 'list'], envOf(folder))).toMatchObject({ code: 0 })
    const { code, stdout } = await runHub(['doctor'], envOf(folder))
    expect([code, stdout]).toEqual([1, expect.stringContaining('master.key.next')])
    expect(contentOf(folder)).toEqual(before)
    expect(await runHub(['partner', 'create', '--name', 'B'], envOf(folder))).toMatchObject({ code: 0 })
    expect(readdirSync(folder).sort()).toEqual(['hub.db', 'master.key'])
  })
})

describe('a folder whose database was lost', () => {
  it.each([
    ['is gone', (file: string) => rmSync(file), /hub\.db is missing.*restore a backup.*removing master\.key/],
    ['is empty', (file: string) => writeFileSync(file, ''), /hub\.db is empty: restore a backup/],
  ])('is an error, not an empty start: it %s', async (_, lose, says) => {
    const folder = await usedFolder()
    lose(join(folder, 'hub.db'))
    const before = contentOf(folder)
    await expect(startHubProcess(envOf(folder))).rejects.toThrow(says)
    const created = await runHub(['partner', 'create', '--name', 'B'], envOf(folder))
    expect([created.code, created.stderr]).toEqual([1, expect.stringMatching(says)])
    const listed = await runHub(['partner', 'list'], envOf(folder))
    expect([listed.code, listed.stderr]).toEqual([1, expect.stringMatching(says)])
    const { 'hub.lock': ___, ...after } = contentOf(folder)
    expect(after).toEqual(before)
  })

  it('is known by the lock of a hub when the key is in the settings', async () => {
    const folder = temporaryFolder()
    const env = hubEnv(folder)
    const hub = await startHubProcess(env)
    hub.child.kill('SIGTERM')
    await hub.ended
    rmSync(join(folder, 'hub.db'))
    await expect(startHubProcess(env)).rejects.toThrow(/hub\.db is missing.*removing hub\.lock/)
  })
})

describe('the first start', () => {
  it('goes on where it was cut short: with a key, and no database yet', async () => {
    const folder = temporaryFolder()
    const key = `${TEST_MASTER_KEY.toString('base64')}\n`
    writeFileSync(join(folder, 'master.key.next'), key, { mode: 0o600 })
    const hub = await startHubProcess(envOf(folder))
    expect((await fetch(`${hub.http}/readyz`)).status).toBe(200)
    expect(readFileSync(join(folder, 'master.key'), 'utf8')).toBe(key)
  })

  it('may happen in several processes at once: they share key and database', async () => {
    const folder = join(temporaryFolder(), 'data')
    const names = ['A', 'B', 'C', 'D']
    const made = await Promise.all(
      names.map((name) => runHub(['partner', 'create', '--name', name], envOf(folder))),
    )
    for (const { code, stderr } of made) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const listed = await runHub(['partner', 'list', '--json'], envOf(folder))
    expect(listed.json).toHaveLength(names.length)
    expect(readdirSync(folder).sort()).toEqual(['hub.db', 'master.key'])
  })
})
