import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { lockForOneHub } from '../../../../../server/storage/sqlite/file/hub-lock.ts'
import { makePrivate } from '../../../../../server/storage/sqlite/file/private-folder.ts'
import { temporaryFolder } from '../../../../support/folder.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

/** A folder that everybody may read, with a file of each kind. */
function openFolder() {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  const files = ['hub.db', 'hub.db-wal', 'hub.lock', 'hub.lock-journal', 'hub.json', 'master.key', 'notes']
  for (const name of files) {
    writeFileSync(join(folder, name), '')
    // The group is others, too.
    chmodSync(join(folder, name), name === 'hub.lock' ? 0o640 : 0o644)
  }
  chmodSync(folder, 0o755)
  return folder
}

it('closes a folder and the files of the hub to other users, and says which', () => {
  const folder = openFolder()
  const own = ['hub.db', 'hub.db-wal', 'hub.json', 'hub.lock', 'hub.lock-journal']
  const closed = [folder, ...own.map((name) => join(folder, name))]
  expect(openDataFolder(folder).make().sort()).toEqual(closed)
  expect(modeOf(folder)).toBe('700')
  for (const name of own) expect([name, modeOf(join(folder, name))]).toEqual([name, '600'])
  // Others may know this key: its reader says so.
  expect(modeOf(join(folder, 'master.key'))).toBe('644')
  expect(modeOf(join(folder, 'notes'))).toBe('644')
  expect(openDataFolder(folder).make()).toEqual([])
})

it('makes the lock and the addresses for this user alone', () => {
  const folder = join(temporaryFolder(), 'data')
  const data = openDataFolder(folder)
  data.make()
  const release = lockForOneHub(data.lockFile)
  data.writeAddresses({ pid: process.pid, http: 'http://127.0.0.1:8080' })
  expect(['', 'hub.lock', 'hub.json'].map((name) => modeOf(join(folder, name)))).toEqual([
    '700',
    '600',
    '600',
  ])
  release()
})

it('refuses what belongs to another user, unless nobody else can open it', () => {
  const folder = openFolder()
  const another = (process.getuid?.() ?? 0) + 1
  expect(() => makePrivate(folder, another)).toThrow(
    `Other users can open ${folder}, and it belongs to another user than the hub's: run chmod 700 ${folder} as its owner, or set HUB_DATA_DIR`,
  )
  chmodSync(folder, 0o700)
  expect(() => makePrivate(folder, another)).toThrow(`run chmod 600 ${join(folder, 'hub.db')} as its owner`)
  expect(modeOf(join(folder, 'hub.db'))).toBe('644')
  makePrivate(folder)
  expect(makePrivate(folder, another)).toEqual([])
})

it('refuses a folder that all users share, and changes no file behind a link', () => {
  const folder = openFolder()
  chmodSync(folder, 0o1777)
  expect(() => openDataFolder(folder).make()).toThrow(
    `${folder} is shared by all users: set HUB_DATA_DIR to a folder of this user alone, such as ${folder}/soundbox-hub.`,
  )
  expect(modeOf(folder)).toBe('1777')
  const linked = join(temporaryFolder(), 'linked')
  mkdirSync(linked, { mode: 0o700 })
  symlinkSync(join(folder, 'notes'), join(linked, 'hub.lock'))
  expect(makePrivate(linked)).toEqual([])
  expect(modeOf(join(folder, 'notes'))).toBe('644')
})
