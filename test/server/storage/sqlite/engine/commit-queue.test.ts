import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HubError } from '../../../../../server/platform/errors.ts'
import { UNOBSERVED } from '../../../../../server/storage/ports.ts'
import {
  BUSY_TIMEOUT_MS,
  CommitQueue,
  GATHER_TURNS,
} from '../../../../../server/storage/sqlite/engine/commit-queue.ts'
import { createVirtualClock } from '../../../../support/clock.ts'
import { temporaryFolder } from '../../../../support/folder.ts'

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
  const clock = createVirtualClock()
  const queue = new CommitQueue(sqlite, UNOBSERVED, clock)
  const insert = sqlite.prepare('INSERT INTO written (name) VALUES (?)')
  const count = sqlite.prepare('SELECT count(*) FROM written').pluck()
  return {
    queue,
    sqlite,
    outside,
    clock,
    read: () => count.get(),
    put: (name: string) => () => {
      insert.run(name)
      return name
    },
    visible: () => outside.prepare('SELECT name FROM written ORDER BY rowid').pluck().all(),
    commits: () => statements.filter((sql) => sql === 'COMMIT').length,
    savepoints: () => statements.filter((sql) => sql.startsWith('SAVEPOINT')).length,
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

  it('waits for writes that arrive in the following turns, up to a limit', async () => {
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

  it('commits a long act page by page, of several long acts one page in each commit, with the writes of others', async () => {
    const { queue, put, visible } = openQueue()
    const seen: string[] = []
    const long = (name: string) =>
      queue.writePages(
        1,
        (page) => ({ value: put(`${name} ${page}`)(), next: page < 3 ? page + 1 : undefined }),
        (value) => seen.push(value),
      )
    const both = Promise.all([long('one'), long('two')])
    await queue.write(put('between'))
    expect(visible()).toEqual(['one 1', 'two 1', 'between'])
    await both
    expect(visible().slice(3)).toEqual(['one 2', 'two 2', 'one 3', 'two 3'])
    expect(seen).toEqual(visible().filter((name) => name !== 'between'))
  })

  it('keeps the pages before one that fails, and reports each once', async () => {
    const { queue, put, visible } = openQueue()
    const seen: number[] = []
    const long = queue.writePages(
      1,
      (page) => {
        put(`page ${page}`)()
        if (page === 2) throw new Error('broken page')
        return { value: page, next: page + 1 }
      },
      (value) => seen.push(value),
    )
    const other = queue.write(put('other'))
    await expect(long).rejects.toThrow('broken page')
    await other
    expect([visible(), seen]).toEqual([['page 1', 'other'], [1]])
  })

  it('commits all pages when it is flushed', async () => {
    const { queue, put, visible } = openQueue()
    const long = queue.writePages(1, (page) => {
      put(`page ${page}`)()
      return { value: undefined, next: page < 4 ? page + 1 : undefined }
    })
    expect(queue.waiting).toBe(1)
    queue.flush()
    expect(visible()).toHaveLength(4)
    expect(queue.waiting).toBe(0)
    await long
  })

  it('answers a write only once another connection can see it', async () => {
    const { queue, put, visible } = openQueue()
    const written = queue.write(put('money'))
    expect(visible()).toEqual([])
    const seenAtAnswer = written.then(() => visible())
    expect(await seenAtAnswer).toEqual(['money'])
  })

  it('uses no savepoint, and runs each act once, when no act fails', async () => {
    const { queue, put, savepoints } = openQueue()
    let runs = 0
    const act = (name: string) => () => {
      runs += 1
      return put(name)()
    }
    await Promise.all(['one', 'two', 'three'].map((name) => queue.write(act(name))))
    expect([runs, savepoints()]).toEqual([3, 0])
  })

  it('rolls back a failing act, and no other act of the commit', async () => {
    const { queue, put, visible, commits, savepoints } = openQueue()
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
    expect([commits(), savepoints()]).toEqual([1, 3])
  })

  it('lets an act see what the acts before it have written', async () => {
    const { queue, put } = openQueue()
    const [, second] = await Promise.allSettled([queue.write(put('same')), queue.write(put('same'))])
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } })
  })

  it('waits while another process writes, lets everything else go on, and keeps the order', async () => {
    const { queue, outside, clock, put, read, visible, commits } = openQueue()
    outside.exec('BEGIN IMMEDIATE')
    const answered: string[] = []
    const write = (name: string) => queue.write(put(name)).then((value) => answered.push(value))
    const written = [write('one'), write('two')]
    await clock.wind(BUSY_TIMEOUT_MS - 100)
    written.push(write('three'))
    await clock.wind(50)
    expect([answered, read()]).toEqual([[], 0])
    outside.exec('ROLLBACK')
    await clock.wind(10)
    await Promise.all(written)
    expect(answered).toEqual(['one', 'two', 'three'])
    expect([visible(), commits()]).toEqual([answered, 1])
  })

  it('answers UNAVAILABLE to the waiting writes when another process writes for too long, and works again afterwards', async () => {
    const { queue, outside, clock, put, visible } = openQueue()
    outside.exec('BEGIN IMMEDIATE')
    for (const round of ['first', 'second']) {
      const refused = Promise.allSettled([queue.write(put('one')), queue.write(put('two'))])
      await clock.wind(BUSY_TIMEOUT_MS + 10)
      expect(await refused, round).toEqual([
        { status: 'rejected', reason: unavailable },
        { status: 'rejected', reason: unavailable },
      ])
    }
    outside.exec('ROLLBACK')
    await queue.write(put('three'))
    expect(visible()).toEqual(['three'])
  })

  it('answers UNAVAILABLE to all writes of a commit that fails, and stores none', async () => {
    const { queue, sqlite, put, visible } = openQueue()
    sqlite.pragma('foreign_keys = ON')
    sqlite.exec(
      'CREATE TABLE child (name TEXT REFERENCES written (name) DEFERRABLE INITIALLY DEFERRED) STRICT',
    )
    const orphan = sqlite.prepare("INSERT INTO child (name) VALUES ('nobody')")
    const refused = await Promise.allSettled([queue.write(put('one')), queue.write(() => orphan.run())])
    expect(refused).toEqual([
      { status: 'rejected', reason: unavailable },
      { status: 'rejected', reason: unavailable },
    ])
    await queue.write(put('two'))
    expect(visible()).toEqual(['two'])
  })

  it('counts the rollback of an act and of a commit, and nothing when all succeed', async () => {
    const { queue, sqlite, outside, clock, put } = openQueue()
    await queue.write(put('one'))
    const before = queue.rollbacks
    await queue.write(put('two'))
    outside.exec('BEGIN IMMEDIATE')
    const lockedOut = queue.write(put('three'))
    await clock.wind(100)
    outside.exec('ROLLBACK')
    await clock.wind(10)
    await lockedOut
    expect(queue.rollbacks).toBe(before)

    // Each act sees whether something was taken back since the one before it, in the run that counts too.
    const seen = { ahead: 0, behind: 0 }
    await Promise.allSettled([
      queue.write(() => Object.assign(seen, { ahead: queue.rollbacks })),
      queue.write(() => {
        throw new Error('broken act')
      }),
      queue.write(() => Object.assign(seen, { behind: queue.rollbacks })),
    ])
    expect(seen.ahead).toBeGreaterThan(before)
    expect(seen.behind).toBeGreaterThan(seen.ahead)

    const afterAct = queue.rollbacks
    sqlite.exec(
      'CREATE TABLE child (name TEXT REFERENCES written (name) DEFERRABLE INITIALLY DEFERRED) STRICT',
    )
    sqlite.pragma('foreign_keys = ON')
    await expect(
      queue.write(() => sqlite.prepare("INSERT INTO child (name) VALUES ('nobody')").run()),
    ).rejects.toThrow()
    expect(queue.rollbacks).toBeGreaterThan(afterAct)
  })

  it('refuses writes beyond its limit, and none of the waiting ones', async () => {
    const { queue } = openQueue()
    const waiting = Array.from({ length: 10_000 }, (_, index) => queue.write(() => index))
    await expect(queue.write(() => 'too much')).rejects.toThrow(HubError)
    await expect(queue.write(() => 'too much')).rejects.toEqual(unavailable)
    const answers = await Promise.all(waiting)
    expect(answers.at(-1)).toBe(9_999)
    expect(await queue.write(() => 'room again')).toBe('room again')
  })
})
