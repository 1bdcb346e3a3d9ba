import { type AccountPayment, isNear, type MatchRow, outcome, type Stage } from './model.ts'

/** More equal codes are no codes. */
const MOST_ALIKE = 100

/**
 * Rule 1: a code of the row is the payment's ftCode or traceTransfer, and neither side has another partner. Returns the
 * payments that are left because the codes are ambiguous.
 */
export function matchReferences({ rows, payments, span, settle }: Stage): string[] {
  const paymentsOf = groups(payments, codesOf)
  const rowsOf = groups(rows, ({ references }) => references)
  const ambiguous: string[] = []
  const candidatesOf = (row: MatchRow) =>
    distinct(row.references.flatMap((code) => paymentsOf.get(code)?.slice(0, MOST_ALIKE) ?? [])).filter(
      (payment) => isNear(row, payment, span),
    )
  const claimantsOf = (payment: AccountPayment) =>
    distinct(codesOf(payment).flatMap((code) => rowsOf.get(code)?.slice(0, MOST_ALIKE) ?? [])).filter((row) =>
      isNear(row, payment, span),
    )
  for (const row of rows) {
    const candidates = candidatesOf(row)
    const [payment] = candidates
    if (!payment) continue
    if (candidates.length === 1 && claimantsOf(payment).length === 1) {
      const bucket = payment.amount === row.amount ? 'matched' : 'differs'
      settle(row, outcome(bucket, { rule: 'reference', paymentId: payment.id }))
    } else {
      settle(row, outcome('undecided'))
      ambiguous.push(...candidates.map(({ id }) => id))
    }
  }
  return ambiguous
}

/** The codes of a payment by which a bank may name it. */
export function codesOf({ ftCode, traceTransfer }: AccountPayment): string[] {
  return [...new Set([ftCode, traceTransfer])].filter((code) => code !== '')
}

/** Groups by each of the keys of an item. */
export function groups<T, K>(items: readonly T[], keysOf: (item: T) => readonly K[]): Map<K, T[]> {
  const found = new Map<K, T[]>()
  for (const item of items)
    for (const key of keysOf(item)) {
      const group = found.get(key)
      if (group) group.push(item)
      else found.set(key, [item])
    }
  return found
}

export const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)]
