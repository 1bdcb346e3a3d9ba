import { type Act, type Engine, row, rows } from '../../acts/act.ts'
import { isNeeded, OLD_PAYMENT, type OldPayment, type Remember } from '../../acts/retention/payments.ts'
import type { WholePartitions } from '../../acts/retention/retention.ts'
import { UNSEEN } from '../../shared/announcement-conditions.ts'
import { WIDTH } from '../schema/statements.ts'
import { ddl, isLockedOut, lockPartitions, NOTHING, type Partition, spanOf, WAIT } from './partitions.ts'

/** Both go by their own numbers. A transaction under way at a partition's end may write to it, or to both. */
const TABLES = ['payments', 'announcements'] as const
const LATE_MS = 10 * 60_000
/** Payments whose sealed hashes one step copies: some three milliseconds of the hub. */
const PAGE = 200
/** Payments that speakers need, and that move while all acts wait: some twenty milliseconds. */
const MOST_MOVED = 500

/**
 * Drops partitions of payments and announcements. Both are cut at the same time, so that a payment is in the partition of its
 * number, and its announcements in that of the same number or, when it was cut meanwhile, in the next one.
 *
 * The next partition is there, empty, before anything is written to it: it begins when both sequences are set to its least
 * number. If nobody begins it, the one before goes on: it never fills up.
 */
export function createPaymentPartitions(engine: Engine): WholePartitions['prunePayments'] {
  const { reading, writing } = engine

  const begin = writing(function* (number: number, at: number) {
    yield* lockPartitions()
    const next = yield* row<{ least: number }>(
      'partitions.begin',
      `UPDATE partitions SET begun_at = $2 WHERE series = 'payments' AND number = $1 AND begun_at IS NULL
       RETURNING least`,
      [number, at],
    )
    if (!next) return
    yield* make(number + 1, next.least + WIDTH)
    yield* riseTo(next.least)
  })
  const rise = writing(riseTo)

  /** Begins the next partition when the newest one has rows, and has lasted for its span. */
  async function beginNext(at: number, spanMs: number) {
    const newest = await readNewest()
    if (!newest) return
    if (newest.next < newest.least) await rise(newest.least)
    else if (newest.next > newest.least && at - newest.begunAt >= spanMs) await begin(newest.number + 1, at)
  }

  const readNewest = reading(() =>
    row<{ number: number; least: number; begunAt: number; next: number }>(
      'partitions.newest',
      `SELECT p.number, p.least, p.begun_at AS "begunAt", s.last_value + s.is_called::integer AS next
       FROM partitions p, payments_number_seq s
       WHERE p.series = 'payments' AND p.begun_at IS NOT NULL ORDER BY p.number DESC LIMIT 1`,
    ),
  )

  /** The oldest partition, when all of it is from before an instant. Events show the rows that they refer to: they go first. */
  const readOld = reading((before: number) =>
    row<Partition>(
      'partitions.oldPayments',
      `SELECT p.number, p.least, p.copied_to AS "copiedTo", n.least AS below
       FROM partitions p JOIN partitions n ON n.series = p.series AND n.number = p.number + 1
       WHERE p.series = 'payments' AND p.is_whole AND n.begun_at < $1
         AND n.begun_at * 1000 <= (SELECT min(e.least) FROM partitions e WHERE e.series = 'events' AND e.is_whole)
       ORDER BY p.number LIMIT 1`,
      [before - LATE_MS],
    ),
  )

  const readNeededOf = reading(({ least, below }: Partition) => readNeeded(least, below))

  /** From now on its rows are deleted one by one. */
  const mark = writing(({ number }: Partition) =>
    rows(
      'partitions.mark',
      "UPDATE partitions SET is_whole = false WHERE series = 'payments' AND number = $1",
      [number],
    ),
  )

  /** Partitions whose rows were deleted one by one, until none was left. */
  const readEmptied = reading(function* () {
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
  })

  /** Notes what repeats of the next payments are known by. Those that a speaker needs are noted again when they go. */
  const copyPage = (remember: Remember, audited: (deleted: number) => Act<void>) =>
    writing(function* ({ number, copiedTo }: Partition) {
      const page = yield* rows<OldPayment & { isNeeded: boolean }>(
        `partitions.copy payments_${number}`,
        `SELECT ${OLD_PAYMENT}, ${isNeeded(engine)} AS "isNeeded" FROM payments_${number} p
         WHERE number > $1 ORDER BY number LIMIT ${PAGE}`,
        [copiedTo],
      )
      const last = page.at(-1)
      if (!last) return { isEnd: true, deleted: 0 }
      yield* remember(page)
      yield* rows(
        'partitions.copied',
        "UPDATE partitions SET copied_to = $2 WHERE series = 'payments' AND number = $1",
        [number, last.number],
      )
      const deleted = page.filter(({ isNeeded }) => !isNeeded).length
      if (deleted > 0) yield* audited(deleted)
      return { isEnd: page.length < PAGE, deleted }
    })

  /** The newest partition whose rows are deleted one by one: what outlives the next one moves there. */
  function* readRest(least: number): Act<{ name: (table: string) => string; from: string } | undefined> {
    const rest = yield* row<{ number: number; least: number }>(
      'partitions.rest',
      `SELECT number, least FROM partitions WHERE series = 'payments' AND NOT is_whole AND least < $1
       ORDER BY number DESC LIMIT 1`,
      [least],
    )
    return (
      rest && {
        name: (table) => `${table}_${rest.number}`,
        from: rest.number === 0 ? 'MINVALUE' : String(rest.least),
      }
    )
  }

  const addCheck = writing(function* ({ least }: Partition) {
    const rest = yield* readRest(least)
    yield* ddl(WAIT)
    for (const table of rest ? TABLES : []) {
      yield* ddl(`ALTER TABLE ${rest?.name(table)} DROP CONSTRAINT IF EXISTS ${table}_below`)
      yield* ddl(
        `ALTER TABLE ${rest?.name(table)} ADD CONSTRAINT ${table}_below CHECK (number < ${least}) NOT VALID`,
      )
    }
  })
  const check = writing(function* ({ least }: Partition) {
    const rest = yield* readRest(least)
    for (const table of rest ? TABLES : [])
      yield* ddl(`ALTER TABLE ${rest?.name(table)} VALIDATE CONSTRAINT ${table}_below`)
  })

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

  /** Moves the rows that speakers need to the partition before, which then reaches to the end of this one, and drops it. */
  const drop = writing(function* ({ number, least, below }: Partition) {
    const rest = yield* readRest(least)
    if (!rest || !(yield* take(number))) return
    // The rows that are moved are no news.
    yield* ddl('SET LOCAL hub.importing = on')
    const needed = (yield* readNeeded(least, below)).map((one) => one.number)
    for (const table of TABLES) {
      const before = rest.name(table)
      for (const part of [`${table}_${number}`, before])
        yield* ddl(`ALTER TABLE ${table} DETACH PARTITION ${part}`)
      yield* ddl(
        `ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (${rest.from}) TO (${below})`,
      )
      yield* ddl(`ALTER TABLE ${before} DROP CONSTRAINT ${table}_below`)
    }
    yield* move({ number, least }, rest.name, needed)
    yield* forget(least, below, needed)
    for (const table of TABLES) yield* ddl(`DROP TABLE ${table}_${number}`)
  })

  const dropEmptied = writing(function* (number: number) {
    if (!(yield* take(number))) return
    for (const table of TABLES) yield* ddl(`DROP TABLE ${table}_${number}`)
  })

  async function step(old: Partition, remember: Remember, audited: (deleted: number) => Act<void>) {
    const needed = old.copiedTo === 0 ? await readNeededOf(old) : []
    if (needed.length > MOST_MOVED) {
      await mark(old)
      return { deleted: 0, next: '' }
    }
    const { isEnd, deleted } = await copyPage(remember, audited)(old)
    if (isEnd) {
      // Attached again, the partition before is not read through, because of its constraint.
      await addCheck(old)
      await check(old)
      await drop(old)
    }
    return { deleted, next: '' }
  }

  return async function prunePayments(before, at, remember, audited) {
    try {
      await beginNext(at, spanOf(at - before))
      const old = await readOld(before)
      if (old) return await step(old, remember, audited)
      for (const number of await readEmptied()) await dropEmptied(number)
      return NOTHING
    } catch (error) {
      // It waits for no act. The next pass tries again.
      if (isLockedOut(error)) return NOTHING
      throw error
    }
  }
}

/** Makes partitions of both tables, while hubs go on. */
function* make(number: number, least: number): Act<void> {
  for (const table of TABLES) {
    const made = `${table}_${number}`
    // A stage is written beside the one before.
    const room = table === 'announcements' ? 'WITH (fillfactor = 80)' : ''
    yield* ddl(`CREATE TABLE ${made} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) ${room}`)
    if (table === 'announcements') yield* ddl(`CREATE UNIQUE INDEX ${made}_id_key ON ${made} (id)`)
    yield* ddl(
      `ALTER TABLE ${table} ATTACH PARTITION ${made} FOR VALUES FROM (${least}) TO (${least + WIDTH})`,
    )
  }
  yield* rows(
    'partitions.addPayments',
    "INSERT INTO partitions (series, number, least, is_whole, copied_to) VALUES ('payments', $1, $2, true, 0)",
    [number, least],
  )
}

/** Announcements first: no announcement has a number below its payment's partition. Nothing undoes it, also no rollback. */
function* riseTo(least: number): Act<void> {
  yield* lockPartitions()
  for (const table of [...TABLES].reverse())
    yield* rows(
      `partitions.rise ${table}`,
      `SELECT setval('${table}_number_seq', $1, false) FROM ${table}_number_seq WHERE last_value < $1`,
      [least],
    )
}

/** The payments of a partition that speakers need. Their announcements are in it, or in the next one. */
function readNeeded(least: number, below: number) {
  const of = `a.payment_number >= $1 AND a.payment_number < $2 AND a.number >= $1 AND a.number < $2 + ${WIDTH}`
  return rows<{ number: number }>(
    'partitions.needed',
    `SELECT a.payment_number AS number FROM announcements a JOIN devices d ON d.number = a.device_number
     WHERE ${of} AND ${UNSEEN} AND d.revoked_at IS NULL
     UNION SELECT a.payment_number FROM open_announcements o JOIN announcements a ON a.number = o.number WHERE ${of}
     LIMIT ${MOST_MOVED + 1}`,
    [least, below],
  )
}

/** Moves the needed payments of a partition with their announcements, and announcements of payments that were moved before. */
function* move(
  { number, least }: Pick<Partition, 'number' | 'least'>,
  to: (table: string) => string,
  needed: readonly number[],
): Act<void> {
  yield* rows(
    `partitions.move ${to('payments')} payments_${number}`,
    `INSERT INTO ${to('payments')} SELECT * FROM payments_${number} WHERE number = ANY($1::bigint[])`,
    [needed],
  )
  yield* rows(
    `partitions.move ${to('announcements')} announcements_${number}`,
    `INSERT INTO ${to('announcements')}
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
