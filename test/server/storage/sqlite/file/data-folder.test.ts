import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../../../../../server/platform/errors.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

const running = { pid: process.pid, http: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:8081' }
const NO_SUCH_PID = 2 ** 30

describe('the data folder', () => {
  it('is made when asked for, with all its parent folders, for its owner alone', () => {
    const folder = join(temporaryFolder(), 'srv', 'hub')
    expect(openDataFolder(folder).databaseFile).toBe(join(folder, 'hub.db'))
    expect(existsSync(folder)).toBe(false)
    openDataFolder(folder).make()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it.each([
    { why: 'a file', path: 'file' },
    { why: 'below a file', path: 'file/data' },
  ])('can not be $why: the error tells the operator which variable to set', ({ path }) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const open = () => openDataFolder(join(folder, path)).make()
    expect(open).toThrow(OperatorError)
    expect(open).toThrow(/set HUB_DATA_DIR to a folder/)
  })
})

describe('the master key in the folder', () => {
  it('is made at the first start, for its owner alone, and is random', () => {
    const made = [temporaryFolder(), temporaryFolder()].map((folder) => {
      const { keys } = openDataFolder(folder)
      keys.makeFirst()
      expect(statSync(join(folder, 'master.key.next')).mode & 0o777).toBe(0o600)
      return keys.settle(() => true)
    })
    expect(made[0]).toHaveLength(32)
    expect(made[0]).not.toEqual(made[1])
  })

  it('is refused when others can read it', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'master.key')
    writeFileSync(file, TEST_MASTER_KEY.toString('base64'), { mode: 0o600 })
    expect(openDataFolder(folder).keys.current()).toEqual(TEST_MASTER_KEY)
    chmodSync(file, 0o640)
    expect(() => openDataFolder(folder).keys.current()).toThrow(/run chmod 600/)
  })

  it.each(['', 'too short', Buffer.alloc(33).toString('base64'), Buffer.alloc(32).toString('base64')])(
    'is never replaced when it is damaged: %j',
    (text) => {
      const folder = temporaryFolder()
      const file = join(folder, 'master.key')
      writeFileSync(file, text, { mode: 0o600 })
      expect(() => openDataFolder(folder).keys.current()).toThrow(/must be 32 .* restore it/)
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )
})

describe('the addresses of a running hub', () => {
  it('can be read while it runs, and not after it has removed them', () => {
    const folder = openDataFolder(temporaryFolder())
    expect(folder.readAddresses()).toBeUndefined()
    folder.writeAddresses(running)
    expect(folder.readAddresses()).toEqual(running)
    folder.removeAddresses()
    expect(folder.readAddresses()).toBeUndefined()
    expect(() => folder.removeAddresses()).not.toThrow()
  })

  it('are ignored when the process that wrote them has ended', () => {
    const folder = openDataFolder(temporaryFolder())
    folder.writeAddresses({ ...running, pid: NO_SUCH_PID })
    expect(folder.readAddresses()).toBeUndefined()
  })

  it.each(['', '{', '{"pid":"1"}', 'null'])('are ignored when the file is damaged: %j', (text) => {
    const path = temporaryFolder()
    const folder = openDataFolder(path)
    folder.writeAddresses(running)
    expect(existsSync(join(path, 'hub.json'))).toBe(true)
    writeFileSync(join(path, 'hub.json'), text)
    expect(folder.readAddresses()).toBeUndefined()
  })
})
