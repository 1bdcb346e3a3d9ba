import type { Orm } from './database.ts'

interface Asked<V> {
  key: string
  resolve: (found: V) => void
  reject: (error: unknown) => void
}

/**
 * A read that is asked for by many in one moment: all of them share a snapshot of the file, which is taken after the
 * last has asked. Why: to take one, two locks and a look at the log's index, costs more than to find a row in it.
 */
export function lookTogether<V>(orm: Orm, read: (key: string) => V): (key: string) => Promise<V> {
  const begin = orm.$client.prepare('BEGIN')
  const commit = orm.$client.prepare('COMMIT')
  let asked: Asked<V>[] = []

  function inOneSnapshot(keys: string[]): V[] {
    begin.run()
    try {
      return keys.map(read)
    } finally {
      commit.run()
    }
  }

  function look() {
    const all = asked
    asked = []
    try {
      const found = inOneSnapshot(all.map(({ key }) => key))
      for (const [index, value] of found.entries()) all[index]?.resolve(value)
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (asked.push({ key, resolve, reject }) === 1) queueMicrotask(look)
    })
}
