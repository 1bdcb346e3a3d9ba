import { type AccountPayment, type MatchRow, outcome, type Stage } from './model.ts'
import { groups } from './references.ts'

/** Between the time of a payment and that of its row. */
const NEAR_MS = 10 * 60_000

/** Instants by rising time, which tell how many are in a span. */
function timeline<T>(items: readonly T[], timeOf: (item: T) => number) {
  const sorted = items.toSorted((one, other) => timeOf(one) - timeOf(other))
  /** The first one at this time or later. */
  const firstAt = (at: number) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const item = sorted[middle]
      if (item !== undefined && timeOf(item) < at) low = middle + 1
      else high = middle
    }
    return low
  }
  return (from: number, until: number) => {
    const first = firstAt(from)
    return { count: firstAt(until) - first, first: sorted[first] }
  }
}

/**
 * Rule 3: amount and time are those of one payment alone, which has no other row: a person may accept it. A row with several
 * such payments is for a person to decide. Nothing is matched: amounts repeat, and a forged callback would hide behind the
 * transfer of a stranger.
 */
export function propose({ rows, payments, span, settle }: Stage): string[] {
  const paymentsOf = groups(payments, ({ amount }) => [amount])
  for (const [amount, alike] of groups(rows, (row) => [row.amount])) {
    const candidates = paymentsOf.get(amount)
    if (candidates) proposeAlike(alike, candidates, { span, settle })
  }
  return []
}

function proposeAlike(
  rows: readonly MatchRow[],
  payments: readonly AccountPayment[],
  { span, settle }: Pick<Stage, 'span' | 'settle'>,
) {
  const paid = timeline(payments, ({ paidAt }) => paidAt)
  const timed = timeline(
    rows.filter(({ at }) => at !== undefined),
    ({ at = 0 }) => at,
  )
  const dated = groups(
    rows.filter(({ at }) => at === undefined),
    ({ date }) => [date],
  )
  /** The number of rows that may be of this payment. */
  const claimants = ({ paidAt }: AccountPayment) => {
    const ofItsDay = [...dated].filter(([date]) => paidAt >= span(date).from && paidAt < span(date).until)
    const byDay = ofItsDay.reduce((total, [, { length }]) => total + length, 0)
    return byDay + timed(paidAt - NEAR_MS, paidAt + NEAR_MS + 1).count
  }

  for (const row of rows) {
    const { from, until } =
      row.at === undefined ? span(row.date) : { from: row.at - NEAR_MS, until: row.at + NEAR_MS + 1 }
    const { count, first } = paid(from, until)
    if (count === 0 || !first) continue
    const isUnique = count === 1 && claimants(first) === 1
    settle(row, outcome('undecided', isUnique ? { proposedId: first.id } : {}))
  }
}
