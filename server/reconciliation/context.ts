import type { Slices } from '../platform/lists/slices.ts'
import { dateAfter, daysOf } from './match/days.ts'
import { BEYOND_MS } from './match/model.ts'
import { REVERSED_WITHIN_DAYS } from './match/reversals.ts'
import type { SessionRow, Target } from './match/session.ts'
import type { KnownPayment, PlacedRow, RowPlace, StatementRecords } from './ports.ts'
import type { Matching } from './worker/matching.ts'

/**
 * Days around a statement whose rows and payments may change what its own rows are matched with: a row looks at payments of
 * the day beside it, these look at rows of the day beside theirs, and so on through the rules, which ask five times.
 */
export const AROUND_DAYS = 5
/** Rows and payments that one slice reads: a millisecond, with what has to be unsealed. */
const AT_ONCE = 250

export interface ContextDeps {
  statements: StatementRecords
  slices: Slices
}

/** The rows and payments of an account that matter to some statements. */
export interface Context {
  clientId: string
  accountId: string
  zone: string
  /** Their rows are added whole. */
  targets: readonly Target[]
  /** Called after each read. */
  alive?: () => Promise<void>
}

/** Adds to a matching all that its statements need. Returns the rows of the targets as they are stored. */
export async function addContext(
  { statements, slices }: ContextDeps,
  matching: Pick<Matching, 'addRows' | 'addPayments'>,
  { clientId, accountId, zone, targets, alive = async () => undefined }: Context,
): Promise<PlacedRow[]> {
  const read = <T>(slice: () => Promise<T>) => slices.run(clientId, slice)
  const own: PlacedRow[] = []
  for (const { id } of targets) {
    for (let after = 0; ; ) {
      const rows = await read(() => statements.rows(id, { bucket: undefined, after, limit: AT_ONCE }))
      const placed = rows.map((row) => ({ ...row, statementId: id }))
      own.push(...placed)
      await matching.addRows(placed.map(toSessionRow))
      await alive()
      if (rows.length < AT_ONCE) break
      after = rows.at(-1)?.n ?? 0
    }
  }
  const dates = targets.flatMap(({ from, to }) => [from, to]).toSorted()
  const from = dateAfter(dates[0] ?? '', -AROUND_DAYS)
  const to = dateAfter(dates.at(-1) ?? '', AROUND_DAYS)
  const days = { from, to, debitsTo: dateAfter(to, REVERSED_WITHIN_DAYS), limit: AT_ONCE }
  const except = targets.map(({ id }) => id)
  for (let after: RowPlace | undefined; ; ) {
    const rows = await read(() => statements.liveRows(accountId, { ...days, except }, after))
    await matching.addRows(rows.map(toSessionRow))
    await alive()
    if (rows.length < AT_ONCE) break
    after = rows.at(-1)
  }
  const span = daysOf(zone)
  const time = { from: span(from).from - BEYOND_MS, until: span(to).until + BEYOND_MS }
  for (let after: KnownPayment | undefined; ; ) {
    const payments = await read(() => statements.payments(accountId, time, { after, limit: AT_ONCE }))
    await matching.addPayments(payments)
    await alive()
    if (payments.length < AT_ONCE) break
    after = payments.at(-1)
  }
  return own
}

function toSessionRow(row: PlacedRow): SessionRow {
  const { id, statementId, n, date, at, amount, direction, references, text } = row
  const { isReversal, isOutside, isBatch, decision, bucket, otherRow } = row
  return {
    ...{ id, statementId, n, date, at, amount, direction, references, text },
    ...{ isReversal, isOutside, isBatch, decision, bucket, otherRow },
  }
}
