import { type Act, type Engine, row, rows } from '../../acts/act.ts'
import { isNeeded, OLD_PAYMENT, type OldPayment, type Remember } from '../../acts/retention/payments.ts'
import type { WholePartitions } from '../../acts/retention/retention.ts'
import { begin, readNewest, riseTo } from './begin.ts'
import { addCheck, check, drop, dropEmptied, readEmptied, readNeeded } from './drop.ts'
import { isLockedOut, NOTHING, type Partition, spanOf } from './partitions.ts'

/** A transaction that is under way at the end of a partition may still write to it. */
const LATE_MS = 10 * 60_000
/** Payments whose sealed hashes one step copies: some three milliseconds of the hub. */
const PAGE = 200
/** Payments that speakers need, and that move while all acts wait: some twenty milliseconds. Of more the partition stays. */
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
  const acts = {
    ...{ begin: writing(begin), rise: writing(riseTo), mark: writing(mark), copy: writing(copy) },
    ...{ addCheck: writing(addCheck), check: writing(check), drop: writing(drop) },
    dropEmptied: writing(dropEmptied),
    ...{ newest: reading(readNewest), old: reading(readOld), emptied: reading(readEmptied) },
    needed: reading((old: Partition) => readNeeded(old, MOST_MOVED + 1)),
  }

  /** Begins the next partition when the newest one has rows, and has lasted for its span. */
  async function beginNext(at: number, spanMs: number) {
    const newest = await acts.newest()
    if (!newest) return
    if (newest.next < newest.least) await acts.rise(newest.least)
    else if (newest.next > newest.least && at - newest.begunAt >= spanMs)
      await acts.begin(newest.number + 1, at)
  }

  async function step(old: Partition, remember: Remember, audited: (deleted: number) => Act<void>) {
    const needed = old.copiedTo === 0 ? await acts.needed(old) : []
    if (needed.length > MOST_MOVED) {
      await acts.mark(old)
      return { deleted: 0, next: '' }
    }
    const { isEnd, deleted } = await acts.copy(engine, old, remember, audited)
    if (isEnd) {
      await acts.addCheck(old)
      await acts.check(old)
      await acts.drop(old)
    }
    return { deleted, next: '' }
  }

  return async function prunePayments(before, at, remember, audited) {
    try {
      await beginNext(at, spanOf(at - before))
      const old = await acts.old(before)
      if (old) return await step(old, remember, audited)
      for (const number of await acts.emptied()) await acts.dropEmptied(number)
      return NOTHING
    } catch (error) {
      // It waits for no act. The next pass tries again.
      if (isLockedOut(error)) return NOTHING
      throw error
    }
  }
}

/** The oldest partition, when all of it is from before an instant. Events show the rows that they refer to: they go first. */
const readOld = (before: number) =>
  row<Partition>(
    'partitions.oldPayments',
    `SELECT p.number, p.least, p.copied_to AS "copiedTo", n.least AS below
     FROM partitions p JOIN partitions n ON n.series = p.series AND n.number = p.number + 1
     WHERE p.series = 'payments' AND p.is_whole AND n.begun_at < $1
       AND n.begun_at * 1000 <= (SELECT min(e.least) FROM partitions e WHERE e.series = 'events' AND e.is_whole)
     ORDER BY p.number LIMIT 1`,
    [before - LATE_MS],
  )

/** From now on its rows are deleted one by one. */
const mark = ({ number }: Partition) =>
  rows(
    'partitions.mark',
    "UPDATE partitions SET is_whole = false WHERE series = 'payments' AND number = $1",
    [number],
  )

/** Notes what repeats of the next payments are known by. What is noted of those that a speaker needs goes again in `drop`. */
function* copy(
  engine: Engine,
  { number, copiedTo }: Partition,
  remember: Remember,
  audited: (deleted: number) => Act<void>,
): Act<{ isEnd: boolean; deleted: number }> {
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
}
