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
       WHERE p.series = 'payments' AND p.number > 0 AND n.begun_at < $1
         AND n.begun_at * 1000 <= (SELECT min(e.least) FROM partitions e WHERE e.series = 'events' AND e.number > 0)
       ORDER BY p.number LIMIT 1`,
      [before - LATE_MS],
    ),
  )

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

  const addCheck = writing(function* ({ least }: Partition) {
    yield* ddl(WAIT)
    for (const table of TABLES) {
      yield* ddl(`ALTER TABLE ${table}_0 DROP CONSTRAINT IF EXISTS ${table}_below`)
      yield* ddl(`ALTER TABLE ${table}_0 ADD CONSTRAINT ${table}_below CHECK (number < ${least}) NOT VALID`)
    }
  })
  const check = writing(function* () {
    for (const table of TABLES) yield* ddl(`ALTER TABLE ${table}_0 VALIDATE CONSTRAINT ${table}_below`)
  })

  /** Moves the rows that speakers need to partition 0, which then reaches to the end of the old one, and drops that one. */
  const drop = writing(function* ({ number, least, below }: Partition) {
    yield* lockPartitions()
    const gone = yield* rows(
      'partitions.delete',
      "DELETE FROM partitions WHERE series = 'payments' AND number = $1 RETURNING 1",
      [number],
    )
    if (gone.length === 0) return
    // The rows that are moved are no news.
    yield* ddl('SET LOCAL hub.importing = on')
    yield* ddl(WAIT)
    yield* ddl(`LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`)
    const needed = (yield* readNeeded(least, below)).map((one) => one.number)
    for (const table of TABLES) {
      for (const part of [number, 0]) yield* ddl(`ALTER TABLE ${table} DETACH PARTITION ${table}_${part}`)
      yield* ddl(`ALTER TABLE ${table} ATTACH PARTITION ${table}_0 FOR VALUES FROM (MINVALUE) TO (${below})`)
      yield* ddl(`ALTER TABLE ${table}_0 DROP CONSTRAINT ${table}_below`)
    }
    yield* move(number, least, needed)
    yield* forget(least, below, needed)
    for (const table of TABLES) yield* ddl(`DROP TABLE ${table}_${number}`)
  })

  return async function prunePayments(before, at, remember, audited) {
    await beginNext(at, spanOf(at - before))
    const old = await readOld(before)
    if (!old) return NOTHING
    const { isEnd, deleted } = await copyPage(remember, audited)(old)
    if (!isEnd) return { deleted, next: '' }
    try {
      // Attached again, partition 0 is not read through, because of its constraint.
      await addCheck(old)
      await check()
      await drop(old)
      return { deleted, next: '' }
    } catch (error) {
      // It waits for no act. The next pass tries again.
      if (isLockedOut(error)) return { deleted, next: undefined }
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
    "INSERT INTO partitions (series, number, least, copied_to) VALUES ('payments', $1, $2, 0)",
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

/** The payments of a partition that speakers need. */
function readNeeded(least: number, below: number) {
  const of = 'a.payment_number >= $1 AND a.payment_number < $2'
  return rows<{ number: number }>(
    'partitions.needed',
    `SELECT a.payment_number AS number FROM announcements a JOIN devices d ON d.number = a.device_number
     WHERE ${of} AND ${UNSEEN} AND d.revoked_at IS NULL
     UNION SELECT a.payment_number FROM open_announcements o JOIN announcements a ON a.number = o.number WHERE ${of}`,
    [least, below],
  )
}

/** Moves the needed payments of a partition with their announcements, and announcements of payments that were moved before. */
function* move(number: number, least: number, needed: readonly number[]): Act<void> {
  yield* rows(
    `partitions.move payments_${number}`,
    `INSERT INTO payments_0 OVERRIDING SYSTEM VALUE SELECT * FROM payments_${number} WHERE number = ANY($1::bigint[])`,
    [needed],
  )
  yield* rows(
    `partitions.move announcements_${number}`,
    `INSERT INTO announcements_0 OVERRIDING SYSTEM VALUE
     SELECT * FROM announcements_${number} WHERE payment_number = ANY($1::bigint[]) OR payment_number < $2`,
    [needed, least],
  )
  yield* rows(
    'partitions.notDeleted',
    `DELETE FROM deleted_payments d USING payments_0 p
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
