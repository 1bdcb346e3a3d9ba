import { DatabaseError } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { openDatabase, type Tx } from '../../../../../server/storage/postgres/engine/database.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

const postgres = await startTestPostgres()

/** A database with rows to lock, named after letters, and the sizes of its commits. */
async function opened(settings = PATIENT) {
  if (!postgres) throw new Error('skipped')
  const commits: number[] = []
  const observe = { commit: (writes: number) => void commits.push(writes) }
  const database = await openDatabase(
    `${await postgres.database()}${settings}`,
    createVault(TEST_MASTER_KEY),
    observe,
  )
  onTestFinished(() => database.close())
  for (const name of ['a', 'b']) await database.write((tx) => add(tx, name))
  commits.splice(0)
  const names = async () => {
    const rows = await database.read<{ name: string }>('names', 'SELECT client_id AS name FROM partners')
    return rows.map(({ name }) => name).sort()
  }
  return { ...database, names, commits }
}

async function add(tx: Tx, name: string) {
  await tx.query('add', "INSERT INTO partners (client_id, name, created_at) VALUES ($1, '', 0)", [name])
}

async function lock(tx: Tx, name: string) {
  await tx.query('lock', 'SELECT FROM partners WHERE client_id = $1 FOR UPDATE', [name])
}

/** As the server does when it stops. */
async function loseConnection(tx: Tx) {
  await tx.query('lose', 'SELECT pg_terminate_backend(pg_backend_pid())')
}

const UNAVAILABLE = { name: 'HubError', kind: 'UNAVAILABLE' }

describe.skipIf(!postgres)('a write', () => {
  it('is one transaction: a refused one leaves nothing behind', async () => {
    const { write, names } = await opened()
    const failed = write(async (tx) => {
      await add(tx, 'c')
      throw new Error('the act is refused')
    })
    await expect(failed).rejects.toThrow('the act is refused')
    expect(await names()).toEqual(['a', 'b'])
  })

  it('tells a broken constraint as it is', async () => {
    const { write } = await opened()
    await expect(write((tx) => add(tx, 'a'))).rejects.toBeInstanceOf(DatabaseError)
  })

  it('is not committed by an act that goes on after a failed statement', async () => {
    const { write, names } = await opened()
    const failed = write(async (tx) => {
      await add(tx, 'c')
      await add(tx, 'a').catch(() => undefined)
    })
    await expect(failed).rejects.toThrow('duplicate key value')
    expect(await names()).toEqual(['a', 'b'])
  })

  it('is committed behind its last statement when the act ends it', async () => {
    const { write, names } = await opened()
    await write(async (tx) => {
      await lock(tx, 'a')
      const added = add(tx, 'c')
      tx.end()
      await added
    })
    expect(await names()).toEqual(['a', 'b', 'c'])
  })

  it('leaves nothing behind when a statement before its end fails, and the next one is whole', async () => {
    const { write, names } = await opened()
    const failed = write(async (tx) => {
      await lock(tx, 'a')
      const added = Promise.all([add(tx, 'c'), add(tx, 'a')])
      tx.end()
      await added
    })
    await expect(failed).rejects.toBeInstanceOf(DatabaseError)
    await Promise.all(Array.from({ length: 8 }, (_, index) => write((tx) => add(tx, `d${index}`))))
    expect(await names()).toHaveLength(2 + 8)
    expect(await names()).not.toContain('c')
  })

  it('that could not begin changes nothing, and the next one can', async () => {
    const { write, names } = await opened()
    await write((tx) => tx.query('forget', 'DEALLOCATE begin'))
    const failed = write(async (tx) => {
      await lock(tx, 'a')
      await add(tx, 'c')
    })
    await expect(failed).rejects.toMatchObject(UNAVAILABLE)
    await write((tx) => add(tx, 'd'))
    expect(await names()).toEqual(['a', 'b', 'd'])
  })

  it('runs again after a deadlock', async () => {
    const { write, names } = await opened()
    let begun = 0
    const ended = Promise.withResolvers<void>()
    const lockBoth = (first: string, second: string) =>
      write(async (tx) => {
        // On a busy machine it could take the row again before the other one, which waits for it, has woken.
        if (begun >= 2) await ended.promise
        await lock(tx, first)
        begun += 1
        await until('both locks', () => begun >= 2)
        await lock(tx, second)
        await add(tx, `${first}${second}`)
      }).finally(ended.resolve)
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])
    expect(await names()).toEqual(['a', 'ab', 'b', 'ba'])
    expect(begun).toBe(3)
  })

  it('is UNAVAILABLE when its connection is lost, is not repeated, and the next one finds another', async () => {
    const { write, read, names } = await opened()
    let runs = 0
    const lost = write(async (tx) => {
      runs += 1
      await add(tx, 'c')
      await loseConnection(tx)
    })
    await expect(lost).rejects.toMatchObject(UNAVAILABLE)
    expect(runs).toBe(1)
    await expect(read('lose', 'SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject(
      UNAVAILABLE,
    )
    await write((tx) => add(tx, 'd'))
    expect(await names()).toEqual(['a', 'b', 'd'])
  })

  it('does not wait for a row for ever, and is UNAVAILABLE then', async () => {
    const { write } = await opened(`${PATIENT}&lock_timeout=1500`)
    const isLocked = Promise.withResolvers<void>()
    const waited = Promise.withResolvers<void>()
    const holder = write(async (tx) => {
      await lock(tx, 'a')
      isLocked.resolve()
      await waited.promise
    })
    await isLocked.promise
    await expect(write((tx) => lock(tx, 'a'))).rejects.toMatchObject(UNAVAILABLE)
    waited.resolve()
    await holder
  })

  it('that is under way ends before the database closes, and none begins after', async () => {
    const { write, close, writesWaiting, names } = await opened()
    const isLocked = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const ended = write(async (tx) => {
      isLocked.resolve()
      await goOn.promise
      await add(tx, 'c')
    })
    await isLocked.promise
    expect(writesWaiting()).toBe(1)
    const closed = close()
    goOn.resolve()
    await ended
    await closed
    expect(writesWaiting()).toBe(0)
    await expect(write((tx) => add(tx, 'd'))).rejects.toMatchObject(UNAVAILABLE)
    await expect(names()).rejects.toMatchObject(UNAVAILABLE)
  })
})

describe.skipIf(!postgres)('a gathered read', () => {
  it('begins after its call, and those that wait share one', async () => {
    const { write, gathered } = await opened()
    const reads: number[] = []
    const read = gathered<string, boolean>('gathered', async (query, names) => {
      reads.push(names.length)
      const rows = await query<{ name: string }>(
        'gathered',
        'SELECT client_id AS name FROM partners WHERE client_id = ANY($1::text[])',
        [names],
      )
      return names.map((name) => rows.some((row) => row.name === name))
    })
    const first = read('a')
    await until('a read under way', () => reads.length === 1)
    expect(await Promise.all([read('b'), read('c'), first])).toEqual([true, false, true])
    expect(reads).toEqual([1, 2])
    await write((tx) => add(tx, 'c'))
    expect(await read('c')).toBe(true)
  })
})

describe.skipIf(!postgres)('a batch', () => {
  it('holds the calls that came while the one before was under way, in their order, up to fifty', async () => {
    const { batched, commits } = await opened()
    const batches: number[][] = []
    const isFirst = Promise.withResolvers<void>()
    const double = batched('double', async (_tx, calls: number[]) => {
      batches.push(calls)
      if (batches.length === 1) await isFirst.promise
      return calls.map((call) => call * 2)
    })
    const first = double(0)
    await until('the first batch', () => batches.length === 1)
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
    const answers = Promise.all(numbers.map(double))
    isFirst.resolve()
    expect(await first).toBe(0)
    expect(await answers).toEqual(numbers.map((number) => number * 2))
    expect(batches).toEqual([[0], numbers.slice(0, 50), numbers.slice(50)])
    expect(commits).toEqual([1, 50, 10])
  })

  it('gives each call an error of its own', async () => {
    const { batched, names } = await opened()
    const addAll = batched('addAll', async (tx, calls: string[]) => {
      for (const name of calls) await add(tx, name)
      return calls
    })
    const settled = await Promise.allSettled(['c', 'a', 'd'].map(addAll))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await names()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is refused as a whole, and runs once, when its connection is lost', async () => {
    const { batched, names } = await opened()
    let runs = 0
    const addAll = batched('addAll', async (tx, calls: string[]) => {
      runs += 1
      for (const name of calls) await add(tx, name)
      await loseConnection(tx)
      return calls
    })
    const settled = await Promise.allSettled(['c', 'd'].map(addAll))
    expect(settled).toMatchObject([{ reason: UNAVAILABLE }, { reason: UNAVAILABLE }])
    expect(runs).toBe(1)
    expect(await names()).toEqual(['a', 'b'])
  })

  it('waits for no other key, and keeps the order of its own', async () => {
    const { batched } = await opened()
    const goOn = Promise.withResolvers<void>()
    const ran: string[] = []
    const run = batched(
      'run',
      async (_tx, calls: string[]) => {
        if (calls.includes('a1')) await goOn.promise
        ran.push(...calls)
        return calls
      },
      { keyOf: (call) => call.slice(0, 1) },
    )
    const [first, second] = [run('a1'), run('a2')]
    await run('b1')
    goOn.resolve()
    await Promise.all([first, second])
    expect(ran).toEqual(['b1', 'a1', 'a2'])
  })
})

it.skipIf(!postgres)(
  'a connection ends what it waits for, and leaves the durability to the server',
  async () => {
    const { read } = await opened('')
    const settings = await read<{ name: string; setting: string }>(
      'settings',
      'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
      [
        [
          ...['application_name', 'idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'],
          'synchronous_commit',
        ],
      ],
    )
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      application_name: 'soundbox-hub',
      idle_in_transaction_session_timeout: '2000',
      lock_timeout: '1500',
      statement_timeout: '5000',
      // The test server's own.
      synchronous_commit: 'off',
    })
  },
)
