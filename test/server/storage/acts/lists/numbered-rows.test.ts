import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { carryOut } from '../../../../../server/storage/acts/act.ts'
import { boundsOf, rowsWith } from '../../../../../server/storage/acts/lists/numbered-rows.ts'
import { runOn } from '../../../../../server/storage/sqlite/schema/statements.ts'

const MINUTE_MS = 60_000

/** Payment n was received n minutes after the start; those below 100 were deleted. `looks` counts the times that are read. */
function payments() {
  const sqlite = new Database(':memory:')
  onTestFinished(() => void sqlite.close())
  let looks = 0
  sqlite.function('looked', { deterministic: false }, (at: number) => {
    looks += 1
    return at
  })
  sqlite.exec(`
    CREATE TABLE stored (number INTEGER PRIMARY KEY, at INTEGER);
    WITH RECURSIVE c (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)
    INSERT INTO stored SELECT n, n * ${MINUTE_MS} FROM c;
    CREATE VIEW payments AS SELECT number, looked(at) AS received_at FROM stored;
  `)
  const run = runOn(sqlite)
  return {
    between: (from?: number, until?: number) => carryOut(boundsOf('payments', { from, until }), run),
    looks: () => looks,
    empty: () => sqlite.exec('DELETE FROM stored'),
  }
}

it.each([
  [undefined, undefined, { least: 100, below: 10_001 }],
  [500, undefined, { least: 490, below: 10_001 }],
  [undefined, 500, { least: 100, below: 510 }],
  [0, 50, { least: 100, below: 0 }],
  [20_000, undefined, { least: 10_001, below: 10_001 }],
  [500, 500, { least: 490, below: 510 }],
])(
  'the numbers between minutes %s and %s are %o: ten minutes more, for rows out of order',
  (from, until, bounds) => {
    const at = (minute: number | undefined) => minute && minute * MINUTE_MS
    expect(payments().between(at(from), at(until))).toEqual({ ...bounds, highest: 10_000 })
  },
)

it('an empty table has no numbers', () => {
  const { between, empty } = payments()
  empty()
  expect(between(MINUTE_MS, 2 * MINUTE_MS)).toEqual({ least: 0, below: 0, highest: 0 })
})

it('looks at few rows', () => {
  const { between, looks } = payments()
  between(5_000 * MINUTE_MS)
  expect(looks()).toBeGreaterThan(5)
  expect(looks()).toBeLessThan(40)
})

it('chooses as many rows of a partner, from the highest on', () => {
  const sqlite = new Database(':memory:')
  onTestFinished(() => void sqlite.close())
  // The odd ones are of partner a.
  sqlite.exec(`
    CREATE TABLE devices (number INTEGER PRIMARY KEY, client_id TEXT);
    WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100)
    INSERT INTO devices SELECT n, iif(n % 2 = 1, 'a', 'b') FROM c;
  `)
  const choose = (top: number, least: number) => {
    const chosen = rowsWith('devices', 'client_id', 'a', 3)(top, least)
    return 'from' in chosen ? chosen : carryOut(chosen, runOn(sqlite))
  }
  expect(choose(100, 1)).toEqual({ from: 95, below: 100 })
  expect(choose(95, 1)).toEqual({ from: 89, below: 95 })
  expect(choose(95, 90)).toEqual({ from: 90, below: 95 })
})
