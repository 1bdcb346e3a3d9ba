import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MasterKeyFiles } from '../../../server/security/master-key.ts'
import { temporaryFolder } from '../../support/folder.ts'

const written = (key: Buffer) => `${key.toString('base64')}\n`
const never = () => false

/** A data folder with a master key. */
function opened() {
  const folder = temporaryFolder()
  const keys = new MasterKeyFiles(folder)
  keys.makeFirst()
  const first = keys.settle(() => true)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const rotate = () => {
    const next = keys.prepareNext()
    keys.adoptNext()
    return next
  }
  return { folder, keys, first, read, rotate, names: () => readdirSync(folder).sort() }
}

describe('a rotation of the key files', () => {
  it('makes the next key current and keeps the old one; only the owner can read both files', () => {
    const { folder, keys, first, read, names } = opened()
    expect(keys.isUnsettled()).toBe(false)
    const next = keys.prepareNext()
    expect(next).toHaveLength(32)
    expect(next).not.toEqual(first)
    expect([keys.isUnsettled(), keys.current()]).toEqual([true, first])
    keys.adoptNext()
    expect([keys.isUnsettled(), keys.current()]).toEqual([false, next])
    expect(names()).toEqual(['master.key', 'master.key.previous'])
    expect(read('master.key.previous')).toBe(written(first))
    for (const name of names()) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
  })

  it('keeps every earlier key: the file of the previous one is numbered', () => {
    const { keys, first, read, rotate, names } = opened()
    const [second, third] = [rotate(), rotate()]
    rotate()
    const kept = ['master.key.previous', 'master.key.previous.1', 'master.key.previous.2']
    expect(names()).toEqual(['master.key', ...kept])
    expect(kept.map(read)).toEqual([third, first, second].map(written))
    expect(keys.previousFiles()).toEqual(kept.map((name) => expect.stringMatching(new RegExp(`/${name}$`))))
  })
})

describe('the first key', () => {
  it('gets its name when its database is whole; a start that was cut short goes on with the same', () => {
    const folder = temporaryFolder()
    const keys = new MasterKeyFiles(folder)
    const first = keys.makeFirst()
    expect(readdirSync(folder)).toEqual(['master.key.next'])
    expect(keys.makeFirst()).toEqual(first)
    expect(keys.inForce((key) => key.equals(first))).toEqual(first)
    expect(readdirSync(folder)).toEqual(['master.key.next'])
    expect(keys.settle((key) => key.equals(first))).toEqual(first)
    expect(readdirSync(folder)).toEqual(['master.key'])
    expect(keys.current()).toEqual(first)
  })

  it('is missing when it does not open the database: nothing takes its place', () => {
    const folder = temporaryFolder()
    const keys = new MasterKeyFiles(folder)
    keys.makeFirst()
    expect(() => keys.settle(never)).toThrow(/^The master key .* is missing/)
    expect(() => keys.inForce(never)).toThrow(/^The master key .* is missing/)
    expect(() => new MasterKeyFiles(temporaryFolder()).current()).toThrow(/ is missing/)
  })
})

describe('an interrupted rotation', () => {
  it('is discarded when the database still uses the old key', () => {
    const { keys, first, names } = opened()
    keys.prepareNext()
    expect(keys.inForce((key) => key.equals(first))).toEqual(first)
    expect(names()).toEqual(['master.key', 'master.key.next'])
    expect(keys.settle((key) => key.equals(first))).toEqual(first)
    expect(names()).toEqual(['master.key'])
  })

  it('is finished when the database uses the next key', () => {
    const { keys, first, read, names } = opened()
    const next = keys.prepareNext()
    expect(keys.inForce((key) => key.equals(next))).toEqual(next)
    expect(read('master.key')).toBe(written(first))
    expect(keys.settle((key) => key.equals(next))).toEqual(next)
    expect([read('master.key'), read('master.key.previous')]).toEqual([next, first].map(written))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is finished when the old key is already stored as the previous one', () => {
    const { folder, keys, first, read, names } = opened()
    const next = keys.prepareNext()
    writeFileSync(join(folder, 'master.key.previous'), written(first), { mode: 0o600 })
    expect(keys.settle((key) => key.equals(next))).toEqual(next)
    expect(read('master.key')).toBe(written(next))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is finished once when two processes open the folder at the same time', () => {
    const { folder, keys, first, read, names } = opened()
    const next = keys.prepareNext()
    const other = new MasterKeyFiles(folder)
    const opens = (key: Buffer) => {
      // The other process finishes after this one has read the files and before it changes them.
      if (existsSync(join(folder, 'master.key.next'))) other.settle((one) => one.equals(next))
      return key.equals(next)
    }
    expect(keys.settle(opens)).toEqual(next)
    expect([read('master.key'), read('master.key.previous')]).toEqual([next, first].map(written))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is left unchanged when neither key opens the database: it may be an older backup', () => {
    const { keys, first, names } = opened()
    keys.prepareNext()
    expect(keys.settle(never)).toEqual(first)
    expect(names()).toEqual(['master.key', 'master.key.next'])
  })

  it.each(['', 'too short'])(
    'is discarded when its key is damaged (%j) and the old key opens the database',
    (text) => {
      const { folder, keys, first, names } = opened()
      writeFileSync(join(folder, 'master.key.next'), text, { mode: 0o600 })
      expect(keys.settle((key) => key.equals(first))).toEqual(first)
      expect(names()).toEqual(['master.key'])
    },
  )

  it('is used although the folder is not writable: the next start tries to rename it again', () => {
    const { folder, keys, first } = opened()
    const next = keys.prepareNext()
    // No user, not even root, can replace a folder by a file.
    writeFileSync(join(folder, 'blocker'), '')
    const blocked = join(folder, 'master.key.previous')
    renameSync(temporaryFolder(), blocked)
    expect(keys.settle((key) => key.equals(next))).toEqual(next)
    expect(keys.current()).toEqual(first)
    expect(() => keys.adoptNext()).toThrow(
      /still in .*master\.key\.next .*the next start finishes the rotation\.$/,
    )
  })
})

it('reports that the new key can not be written and that nothing was changed', () => {
  const { folder, keys } = opened()
  renameSync(temporaryFolder(), join(folder, 'master.key.next'))
  expect(() => keys.prepareNext()).toThrow(/^Nothing was changed: can't write the new master key/)
})
