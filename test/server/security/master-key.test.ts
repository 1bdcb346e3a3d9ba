import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMasterKeyFiles } from '../../../server/security/master-key.ts'
import { temporaryFolder } from '../../support/folder.ts'

const written = (key: Buffer) => `${key.toString('base64')}\n`
const never = () => false

/** A folder with a key in force. */
function opened() {
  const folder = temporaryFolder()
  const keys = createMasterKeyFiles(folder, join(folder, 'hub.db'))
  const first = keys.current()
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const rotate = () => {
    const next = keys.prepareNext()
    keys.adoptNext()
    return next
  }
  return { folder, keys, first, read, rotate, names: () => readdirSync(folder).sort() }
}

describe('a rotation of the key files', () => {
  it('puts the next key in force and keeps the one before, for their owner alone', () => {
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

  it('loses no earlier key: what was the previous one gets a number', () => {
    const { keys, first, read, rotate, names } = opened()
    const [second, third] = [rotate(), rotate()]
    rotate()
    const kept = ['master.key.previous', 'master.key.previous.1', 'master.key.previous.2']
    expect(names()).toEqual(['master.key', ...kept])
    expect(kept.map(read)).toEqual([third, first, second].map(written))
    expect(keys.previousFiles()).toEqual(kept.map((name) => expect.stringMatching(new RegExp(`/${name}$`))))
  })
})

describe('a rotation that was cut short', () => {
  it('is discarded when the database is still under the key in force', () => {
    const { keys, first, names } = opened()
    keys.prepareNext()
    expect(keys.settle((key) => key.equals(first))).toEqual(first)
    expect(names()).toEqual(['master.key'])
  })

  it('is finished when the database is under the next key', () => {
    const { keys, first, read, names } = opened()
    const next = keys.prepareNext()
    expect(keys.settle((key) => key.equals(next))).toEqual(next)
    expect([read('master.key'), read('master.key.previous')]).toEqual([next, first].map(written))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is finished when the key before was kept already', () => {
    const { folder, keys, first, read, names } = opened()
    const next = keys.prepareNext()
    writeFileSync(join(folder, 'master.key.previous'), written(first), { mode: 0o600 })
    expect(keys.settle((key) => key.equals(next))).toEqual(next)
    expect(read('master.key')).toBe(written(next))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is finished once by two processes that open the folder at the same time', () => {
    const { folder, keys, first, read, names } = opened()
    const next = keys.prepareNext()
    const other = createMasterKeyFiles(folder, join(folder, 'hub.db'))
    const opens = (key: Buffer) => {
      // The other one is done between this one's look at the files and its turn.
      if (existsSync(join(folder, 'master.key.next'))) other.settle((one) => one.equals(next))
      return key.equals(next)
    }
    expect(keys.settle(opens)).toEqual(next)
    expect([read('master.key'), read('master.key.previous')]).toEqual([next, first].map(written))
    expect(names()).toEqual(['master.key', 'master.key.previous'])
  })

  it('is left alone when the database is under neither: an older backup may have been put there', () => {
    const { keys, first, names } = opened()
    keys.prepareNext()
    expect(keys.settle(never)).toEqual(first)
    expect(names()).toEqual(['master.key', 'master.key.next'])
  })

  it.each(['', 'too short'])('is discarded when its key is damaged (%j) and not in force', (text) => {
    const { folder, keys, first, names } = opened()
    writeFileSync(join(folder, 'master.key.next'), text, { mode: 0o600 })
    expect(keys.settle((key) => key.equals(first))).toEqual(first)
    expect(names()).toEqual(['master.key'])
  })

  it('is in force although the folder can not be changed: the next opening tries again', () => {
    const { folder, keys, first } = opened()
    const next = keys.prepareNext()
    // A folder in the place of the previous key can't be replaced by a file, whoever runs this.
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

it('says that no new key can be written, and that nothing was changed', () => {
  const { folder, keys } = opened()
  renameSync(temporaryFolder(), join(folder, 'master.key.next'))
  expect(() => keys.prepareNext()).toThrow(/^Nothing was changed: the new master key can't be written/)
})
