import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { lookTogether } from '../../../../server/storage/sqlite/engine/look-together.ts'

/** A look for rows that writes down, for each, whether it was in a transaction. */
function world() {
  const sqlite = new Database(':memory:')
  onTestFinished(() => void sqlite.close())
  const looks: [string, boolean][] = []
  const look = lookTogether(drizzle(sqlite), (key) => {
    looks.push([key, sqlite.inTransaction])
    if (key === 'broken') throw new Error('the file is broken')
    return key.length
  })
  return { sqlite, look, looks }
}

it('answers each that was asked for in one moment, from one snapshot', async () => {
  const { sqlite, look, looks } = world()
  expect(await Promise.all(['a', 'bb', 'ccc'].map(look))).toEqual([1, 2, 3])
  expect(looks).toEqual([
    ['a', true],
    ['bb', true],
    ['ccc', true],
  ])
  expect(sqlite.inTransaction).toBe(false)
})

it('fails all of a moment when one can not be read, and goes on in the next', async () => {
  const { sqlite, look } = world()
  const outcomes = await Promise.allSettled(['a', 'broken', 'ccc'].map(look))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(sqlite.inTransaction).toBe(false)
  expect(await look('dddd')).toBe(4)
})
