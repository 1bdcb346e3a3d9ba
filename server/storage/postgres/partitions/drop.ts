import { type Act, row, rows } from '../../acts/act.ts'
import { UNSEEN } from '../../shared/announcement-conditions.ts'
import { WIDTH } from '../schema/statements.ts'
import { ddl, lockPartitions, type Partition, TABLES, WAIT } from './partitions.ts'

/** The newest partition whose rows are deleted one by one: what outlives the next one moves there. */
interface Rest {
  number: number
  least: number
}

const readRest = (least: number) =>
  row<Rest>(
    'partitions.rest',
    `SELECT number, least FROM partitions WHERE series = 'payments' AND NOT is_whole AND least < $1
     ORDER BY number DESC LIMIT 1`,
    [least],
  )

/** The two acts before `drop`. They add and check a constraint, because of which the rest is not read through by `drop`. */
export function* addCheck({ least }: Partition): Act<void> {
  const rest = yield* readRest(least)
  yield* ddl(WAIT)
  for (const table of rest ? TABLES : []) {
    const name = `${table}_${rest?.number}`
    yield* ddl(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${table}_below`)
    yield* ddl(`ALTER TABLE ${name} ADD CONSTRAINT ${table}_below CHECK (number < ${least}) NOT VALID`)
  }
}

export function* check({ least }: Partition): Act<void> {
  const rest = yield* readRest(least)
  for (const table of rest ? TABLES : [])
    yield* ddl(`ALTER TABLE ${table}_${rest?.number} VALIDATE CONSTRAINT ${table}_below`)
}

/** Moves the rows that speakers need to the rest, which then reaches to the end of the partition, and drops it. */
export function* drop(old: Partition): Act<void> {
  const { number, least, below } = old
  const rest = yield* readRest(least)
  if (!rest || !(yield* take(number))) return
  // The rows that are moved are no news.
  yield* ddl('SET LOCAL hub.importing = on')
  const needed = (yield* readNeeded(old)).map((one) => one.number)
  const from = rest.number === 0 ? 'MINVALUE' : rest.least
  for (const table of TABLES) {
    const before = `${table}_${rest.number}`
    for (const part of [`${table}_${number}`, before])
      yield* ddl(`ALTER TABLE ${table} DETACH PARTITION ${part}`)
    yield* ddl(`ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (${from}) TO (${below})`)
    yield* ddl(`ALTER TABLE ${before} DROP CONSTRAINT ${table}_below`)
  }
  yield* move({ number, least }, rest, needed)
  yield* forget(least, below, needed)
  for (const table of TABLES) yield* ddl(`DROP TABLE ${table}_${number}`)
}

/** Partitions whose rows were deleted one by one, until none was left. */
export function* readEmptied(): Act<number[]> {
  const found = yield* rows<{ number: number }>(
    'partitions.rowByRow',
    "SELECT number FROM partitions WHERE series = 'payments' AND NOT is_whole AND number > 0",
  )
  const emptied: number[] = []
  for (const { number } of found) {
    const left = yield* rows(
      `partitions.left payments_${number}`,
      `SELECT 1 FROM payments_${number} UNION ALL SELECT 1 FROM announcements_${number} LIMIT 1`,
    )
    if (left.length === 0) emptied.push(number)
  }
  return emptied
}

export function* dropEmptied(number: number): Act<void> {
  if (!(yield* take(number))) return
  for (const table of TABLES) yield* ddl(`DROP TABLE ${table}_${number}`)
}

/** Locks the tables against all acts, and takes a partition out of the list. False when another hub has. */
function* take(number: number): Act<boolean> {
  yield* lockPartitions()
  const taken = yield* rows(
    'partitions.delete',
    "DELETE FROM partitions WHERE series = 'payments' AND number = $1 RETURNING 1",
    [number],
  )
  if (taken.length === 0) return false
  yield* ddl(WAIT)
  yield* ddl(`LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`)
  return true
}

/** The payments of a partition that speakers need, at most so many. Their announcements are in it, or in the next one. */
export function readNeeded({ least, below }: Partition, limit?: number) {
  const of = `a.payment_number >= $1 AND a.payment_number < $2 AND a.number >= $1 AND a.number < $2 + ${WIDTH}`
  return rows<{ number: number }>(
    'partitions.needed',
    `SELECT a.payment_number AS number FROM announcements a JOIN devices d ON d.number = a.device_number
     WHERE ${of} AND ${UNSEEN} AND d.revoked_at IS NULL
     UNION SELECT a.payment_number FROM open_announcements o JOIN announcements a ON a.number = o.number WHERE ${of}
     LIMIT $3`,
    [least, below, limit],
  )
}

/** Moves the needed payments of a partition with their announcements, and announcements of payments that were moved before. */
function* move(
  { number, least }: Pick<Partition, 'number' | 'least'>,
  rest: Rest,
  needed: readonly number[],
): Act<void> {
  yield* rows(
    `partitions.move payments_${rest.number} payments_${number}`,
    `INSERT INTO payments_${rest.number} SELECT * FROM payments_${number} WHERE number = ANY($1::bigint[])`,
    [needed],
  )
  yield* rows(
    `partitions.move announcements_${rest.number} announcements_${number}`,
    `INSERT INTO announcements_${rest.number}
     SELECT * FROM announcements_${number} WHERE payment_number = ANY($1::bigint[]) OR payment_number < $2`,
    [needed, least],
  )
  yield* rows(
    'partitions.notDeleted',
    `DELETE FROM deleted_payments d USING payments p
     WHERE p.number = ANY($1::bigint[])
       AND (d.client_id, d.ft_code, d.dedupe_key) = (p.client_id, p.ft_code, p.dedupe_key)`,
    [needed],
  )
}

/** Deletes what the next partition has of payments that are gone. */
function* forget(least: number, below: number, needed: readonly number[]): Act<void> {
  yield* rows(
    'partitions.forget',
    `DELETE FROM announcements
     WHERE payment_number >= $1 AND payment_number < $2 AND number >= $2 AND payment_number <> ALL($3::bigint[])`,
    [least, below, needed],
  )
}
