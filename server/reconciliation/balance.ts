import { type DaySums, total } from './match/summary.ts'
import { BUCKETS } from './model/statement.ts'
import type { Statement } from './ports.ts'

/** Why a statement or a day is not balanced. */
export const UNBALANCED = [
  /** The file has no balances. */
  'balances_unknown',
  /** Opening balance, credits and debits do not make the closing balance. */
  'balances_differ',
  /** No statement has the day. */
  'not_covered',
  'differs',
  'bank_only',
  'hub_only',
  'undecided',
] as const
export type Unbalanced = (typeof UNBALANCED)[number]

/** What bank and hub differ in. Empty: they are balanced. */
function openIn({ bank, hub }: DaySums): Unbalanced[] {
  const open = (['differs', 'bank_only', 'undecided'] as const).filter((bucket) => bank[bucket].count > 0)
  return [...open, ...(hub.hub_only.count > 0 ? (['hub_only'] as const) : [])]
}

/** Credits and debits of all buckets, in đồng. */
export function moved({ bank }: DaySums): { credit: bigint; debit: bigint } {
  const sum = (side: 'credit' | 'debit') =>
    BUCKETS.reduce((all, bucket) => all + BigInt(bank[bucket][side]), 0n)
  return { credit: sum('credit'), debit: sum('debit') }
}

function balancesOf(
  { opening, closing }: Pick<Statement, 'opening' | 'closing'>,
  sums: DaySums,
): Unbalanced[] {
  if (opening === undefined || closing === undefined) return ['balances_unknown']
  const { credit, debit } = moved(sums)
  return BigInt(opening) + credit - debit === BigInt(closing) ? [] : ['balances_differ']
}

/** The sums of a statement, and why it is not balanced. */
export function balanceOf(statement: Statement): { sums: DaySums; unbalanced: Unbalanced[] } {
  const sums = total(Object.values(statement.summary.days))
  return { sums, unbalanced: [...balancesOf(statement, sums), ...openIn(sums)] }
}

/** Why a day is not balanced: the balances are those of the whole statements that have it. */
export function balanceOfDay(covering: readonly Statement[], sums: DaySums): Unbalanced[] {
  if (covering.length === 0) return ['not_covered', ...openIn(sums)]
  const balances = covering.flatMap((one) => balancesOf(one, total(Object.values(one.summary.days))))
  return [...new Set([...balances, ...openIn(sums)])]
}
