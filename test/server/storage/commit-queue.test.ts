import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HubError } from '../../../server/errors.ts'
import { createCommitQueue, GATHER_TURNS } from '../../../server/storage/sqlite/commit-queue.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** A queue over one table, the statements that it runs, and a second connection that sees only commits. */
function openQueue() {
  const file = join(temporaryFolder(), 'queue.db')
  const statements: string[] = []
  const sqlite = new Database(file, { timeout: 0, verbose: (sql) => statements.push(String(sql)) })
  sqlite.pragma('journal_mode = WAL')
  sqlite.exec('CREATE TABLE written (name TEXT PRIMARY KEY NOT NULL) STRICT')
  const outside = new Database(file, { timeout: 0 })
  onTestFinished(() => {
    sqlite.close()
    outside.close()
  })
  statements.length = 0
  const insert = sqlite.prepare('INSERT INTO written (name) VALUES (?)')
  return {
    queue: createCommitQueue(sqlite),
    outside,
    put: (name: string) => () => {
      insert.run(name)
      return name
    },
    visible: () => outside.prepare('SELECT name FROM written ORDER BY rowid').pluck().all(),
    commits: () => statements.filter((sql) => sql === 'COMMIT').length,
  }
}

const unavailable = expect.objectContaining({ kind: 'UNAVAILABLE', retryAfterS: 1 })

describe('the commit queue', () => {
  it('gathers the writes of one turn into one commit, in the order of their calls', async () => {
    const { queue, put, visible, commits } = openQueue()
    const names = Array.from({ length: 50 }, (_, index) => `write ${index}`)
    expect(await Promise.all(names.map((name) => queue.write(put(name))))).toEqual(names)
    expect(commits()).toBe(1)
    expect(visible()).toEqual(names)
  })

  it('commits again for the writes of a later turn', async () => {
    const { queue, put, commits } = openQueue()
    await queue.write(put('first'))
    await queue.write(put('second'))
    expect(commits()).toBe(2)
  })

  it('waits for writes that arrive one upon another, but not for ever', async () => {
    const { queue, put, commits } = openQueue()
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const written = [queue.write(put('first'))]
    while (commits() === 0) {
      written.push(queue.write(put(`write ${written.length}`)))
      await turn()
    }
    expect(written).toHaveLength(GATHER_TURNS + 1)
    await Promise.all(written)
    expect(commits()).toBe(1)
  })

  it('answers a write only once another connection can see it', async () => {
    const { queue, put, visible } = openQueue()
    const written = queue.write(put('money'))
    expect(visible()).toEqual([])
    const seenAtAnswer = written.then(() => visible())
    expect(await seenAtAnswer).toEqual(['money'])
  })

  it('takes back a failing act whole, and nothing of its neighbours', async () => {
    const { queue, put, visible, commits } = openQueue()
    const [before, failing, after] = await Promise.allSettled([
      queue.write(put('before')),
      queue.write(() => {
        put('half')()
        throw new Error('broken act')
      }),
      queue.write(put('after')),
    ])
    expect(before).toEqual({ status: 'fulfilled', value: 'before' })
    expect(failing).toMatchObject({ status: 'rejected', reason: new Error('broken act') })
    expect(after).toEqual({ status: 'fulfilled', value: 'after' })
    expect(visible()).toEqual(['before', 'after'])
    expect(commits()).toBe(1)
  })

  it('lets an act see what the acts before it have written', async () => {
    const { queue, put } = openQueue()
    const [, second] = await Promise.allSettled([queue.write(put('same')), queue.write(put('same'))])
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } })
  })

  it('answers UNAVAILABLE to all when there is no commit, keeps nothing, and works again after', async () => {
    const { queue, outside, put, visible } = openQueue()
    outside.exec('BEGIN IMMEDIATE')
    const refused = await Promise.allSettled([queue.write(put('one')), queue.write(put('two'))])
    expect(refused).toEqual([
      { status: 'rejected', reason: unavailable },
      { status: 'rejected', reason: unavailable },
    ])
    outside.exec('ROLLBACK')
    await queue.write(put('three'))
    expect(visible()).toEqual(['three'])
  })

  it('refuses what comes beyond its bound, and none of what waits', async () => {
    const { queue } = openQueue()
    const waiting = Array.from({ length: 10_000 }, (_, index) => queue.write(() => index))
    await expect(queue.write(() => 'too much')).rejects.toThrow(HubError)
    await expect(queue.write(() => 'too much')).rejects.toEqual(unavailable)
    const answers = await Promise.all(waiting)
    expect(answers.at(-1)).toBe(9_999)
    expect(await queue.write(() => 'room again')).toBe('room again')
  })

  it('commits at once when it is flushed', async () => {
    const { queue, put, visible } = openQueue()
    const written = queue.write(put('last'))
    queue.flush()
    expect(visible()).toEqual(['last'])
    expect(await written).toBe('last')
  })
})
