import type { MatchRow } from './model.ts'

/** Banks take a credit back within some working days. */
export const REVERSED_WITHIN_DAYS = 7
const DAY_MS = 24 * 60 * 60_000

const dayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS

/**
 * Finds the credits that debits take back: of the same code and amount, at most a week earlier. A debit takes the newest
 * one. The maps have the other row of each.
 */
export function pairReversals(rows: readonly MatchRow[]): {
  credits: Map<string, string>
  debits: Map<string, string>
} {
  const [credits, debits] = [new Map<string, string>(), new Map<string, string>()]
  const codes = new Set(rows.filter(isDebit).flatMap(({ references }) => references))
  if (codes.size === 0) return { credits, debits }
  const byCode = new Map<string, MatchRow[]>()
  for (const row of rows.filter(
    (one) => one.direction === 'credit' && !one.isReversal && one.decision !== 'none',
  ))
    for (const code of row.references)
      if (codes.has(code)) byCode.set(code, [...(byCode.get(code) ?? []), row])
  for (const debit of rows.filter(isDebit).toSorted(byTime)) {
    const candidates = debit.references
      .flatMap((code) => byCode.get(code) ?? [])
      .filter((credit) => isTakenBack(credit, debit) && !credits.has(credit.id))
    const credit = candidates.toSorted(byTime).at(-1)
    if (!credit) continue
    credits.set(credit.id, debit.id)
    debits.set(debit.id, credit.id)
  }
  return { credits, debits }
}

function isDebit({ direction, isOutside }: MatchRow): boolean {
  return direction === 'debit' && !isOutside
}

function isTakenBack(credit: MatchRow, debit: MatchRow): boolean {
  const days = dayNumber(debit.date) - dayNumber(credit.date)
  return credit.amount === debit.amount && days >= 0 && days <= REVERSED_WITHIN_DAYS
}

function byTime(one: MatchRow, other: MatchRow): number {
  const [a, b] = [`${one.date} ${one.id}`, `${other.date} ${other.id}`]
  return a < b ? -1 : Number(a > b)
}
