import type { Bucket, Line, Rule } from '../model/statement.ts'

/** A payment of the account, as it is matched. */
export interface AccountPayment {
  id: string
  paidAt: number
  /** Đồng. */
  amount: number
  ftCode: string
  traceTransfer: string
  billNumber: string
}

/** A row that no earlier statement has. */
export interface MatchRow extends Omit<Line, 'n'> {
  /** Unique over all statements. */
  id: string
  /** What a person has said: this payment, or none. */
  decision: Pick<AccountPayment, 'id' | 'amount'> | 'none' | undefined
}

export interface Outcome {
  bucket: Bucket
  rule: Rule | undefined
  /** The payment that the row has. No other row has it. */
  paymentId: string | undefined
  /** The payment that a person may accept. */
  proposedId: string | undefined
  /** The row that this one repeats, takes back, or is taken back by. */
  otherRow: string | undefined
}

export const outcome = (bucket: Bucket, more: Partial<Outcome> = {}): Outcome => ({
  ...{ rule: undefined, paymentId: undefined, proposedId: undefined, otherRow: undefined },
  ...more,
  bucket,
})

/** The first and the last instant of a date: the last is not in it. */
export type DaySpan = (date: string) => { from: number; until: number }

/** Payments of the day before and the day after a row may be its own, by a code or a bill number. */
export const BEYOND_MS = 24 * 60 * 60_000

/** Whether the codes of the row or the number of the bill may name this payment. */
export function isNear(
  row: Pick<Line, 'date'>,
  { paidAt }: Pick<AccountPayment, 'paidAt'>,
  span: DaySpan,
): boolean {
  const { from, until } = span(row.date)
  return paidAt >= from - BEYOND_MS && paidAt < until + BEYOND_MS
}

/** A rule over all rows and payments that the rules before it have left. */
export interface Stage {
  rows: readonly MatchRow[]
  payments: readonly AccountPayment[]
  span: DaySpan
  settle: (row: MatchRow, found: Outcome) => void
}
