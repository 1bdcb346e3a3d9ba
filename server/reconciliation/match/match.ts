import { matchBills } from './bills.ts'
import { type AccountPayment, type DaySpan, type MatchRow, type Outcome, outcome } from './model.ts'
import { matchReferences } from './references.ts'
import { pairReversals } from './reversals.ts'
import { propose } from './times.ts'

/**
 * Matches the rows of an account with its payments: each row gets one outcome, and each payment is of one row at most.
 *
 * A rule looks at all that is left at once, and takes what is unique on both sides. So neither the order of the rows nor
 * that of the payments matters, and it does not matter in which order statements were imported or callbacks came.
 */
export function match(
  rows: readonly MatchRow[],
  payments: readonly AccountPayment[],
  span: DaySpan,
): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  const taken = new Set<string>()
  const pairs = pairReversals(rows)

  function settle(row: MatchRow, found: Outcome) {
    if (found.paymentId !== undefined) taken.add(found.paymentId)
    if (found.proposedId !== undefined) taken.add(found.proposedId)
    outcomes.set(row.id, found)
  }

  for (const row of rows) {
    const settled = beforeRules(row, pairs)
    if (settled) settle(row, settled)
  }
  for (const stage of [matchReferences, matchBills, propose]) {
    const left = {
      rows: rows.filter(({ id }) => !outcomes.has(id)),
      payments: payments.filter(({ id }) => !taken.has(id)),
    }
    // What a rule finds and can't decide is for a person: no later rule may give it to another row.
    for (const id of stage({ ...left, span, settle })) taken.add(id)
  }
  for (const row of rows) if (!outcomes.has(row.id)) settle(row, outcome('bank_only'))
  for (const [credit, debit] of pairs.credits) takeBack(outcomes, credit, debit)
  return outcomes
}

/** The outcome of a row that no rule looks at. */
function beforeRules(row: MatchRow, pairs: ReturnType<typeof pairReversals>): Outcome | undefined {
  const { decision, direction, isReversal, isOutside, isBatch, amount } = row
  if (decision === 'none') return outcome('bank_only', { rule: 'decided' })
  if (decision) {
    const bucket = decision.amount === amount ? 'matched' : 'differs'
    return outcome(bucket, { rule: 'decided', paymentId: decision.id })
  }
  const takenBack = pairs.debits.get(row.id)
  if (isReversal || takenBack !== undefined) return outcome('reversed', { otherRow: takenBack })
  if (direction === 'debit' || isOutside) return outcome('other')
  return isBatch ? outcome('undecided') : undefined
}

/** A credit that was taken back names its payment: it was announced, and the money is gone. */
function takeBack(outcomes: Map<string, Outcome>, credit: string, debit: string) {
  const found = outcomes.get(credit)
  if (found) outcomes.set(credit, { ...found, bucket: 'reversed', proposedId: undefined, otherRow: debit })
}
