import { createHash } from 'node:crypto'
import { BUCKETS, type Bucket } from '../model/statement.ts'
import type { AccountPayment, DaySpan, MatchRow, Outcome } from './model.ts'

/** Amounts are digits in đồng: sums may be above 2^53. */
export interface BankSum {
  count: number
  credit: string
  debit: string
}

export interface HubSum {
  count: number
  amount: string
}

/** Where a payment of the hub stands: in the bucket of its row, proposed to a row, or without a row. */
export const HUB_PLACES = ['matched', 'differs', 'reversed', 'undecided', 'hub_only'] as const
export type HubPlace = (typeof HUB_PLACES)[number]

/** One day of an account: what the bank says, and what the hub says. Each side adds up by itself. */
export interface DaySums {
  bank: Record<Bucket, BankSum>
  hub: Record<HubPlace, HubSum>
}

/** What a statement's rows and payments add up to. */
export interface Summary {
  days: Record<string, DaySums>
  /** SHA-256 of each row with its outcome, and of each payment without a row. */
  hash: string
}

export const NO_SUMMARY: Summary = { days: {}, hash: '' }

export function noSums(): DaySums {
  const bank = BUCKETS.map((bucket) => [bucket, { count: 0, credit: '0', debit: '0' }])
  const hub = HUB_PLACES.map((place) => [place, { count: 0, amount: '0' }])
  // All names of each.
  return { bank: Object.fromEntries(bank), hub: Object.fromEntries(hub) } as DaySums
}

const plus = (one: string, other: string | number) => String(BigInt(one) + BigInt(other))

export function addBank(into: DaySums, bucket: Bucket, sum: BankSum) {
  const { count, credit, debit } = into.bank[bucket]
  into.bank[bucket] = {
    count: count + sum.count,
    credit: plus(credit, sum.credit),
    debit: plus(debit, sum.debit),
  }
}

export function addHub(into: DaySums, place: HubPlace, sum: HubSum) {
  const { count, amount } = into.hub[place]
  into.hub[place] = { count: count + sum.count, amount: plus(amount, sum.amount) }
}

/** The sums of all days. */
export function total(days: readonly DaySums[]): DaySums {
  const sums = noSums()
  for (const day of days) {
    for (const bucket of BUCKETS) addBank(sums, bucket, day.bank[bucket])
    for (const place of HUB_PLACES) addHub(sums, place, day.hub[place])
  }
  return sums
}

export interface SummaryInput {
  /** The statement's, by their number. */
  rows: readonly Pick<MatchRow, 'id' | 'date' | 'amount' | 'direction'>[]
  outcomeOf: (id: string) => Pick<Outcome, 'bucket' | 'paymentId' | 'rule'> | undefined
  /** The account's. */
  payments: readonly AccountPayment[]
  /** Of all rows of the account. */
  placeOf: (paymentId: string) => HubPlace
  dates: readonly string[]
  span: DaySpan
}

/** Adds up a statement. */
export function summarize({ rows, outcomeOf, payments, placeOf, dates, span }: SummaryInput): Summary {
  const days: Record<string, DaySums> = Object.fromEntries(dates.map((date) => [date, noSums()]))
  const hash = createHash('sha256')
  for (const { id, date, amount, direction } of rows) {
    const found = outcomeOf(id)
    if (!found) continue
    days[date] ??= noSums()
    const isCredit = direction === 'credit'
    const [credit, debit] = isCredit ? [String(amount), '0'] : ['0', String(amount)]
    addBank(days[date], found.bucket, { count: 1, credit, debit })
    hash.update(`${id.split('/').at(-1)} ${found.bucket} ${found.rule ?? ''} ${found.paymentId ?? ''}\n`)
  }
  const sorted = payments.toSorted((one, other) => one.paidAt - other.paidAt || (one.id < other.id ? -1 : 1))
  let next = 0
  for (const date of dates.toSorted()) {
    const { from, until } = span(date)
    const sums = days[date] ?? noSums()
    for (let payment = sorted[next]; payment && payment.paidAt < until; payment = sorted[next]) {
      next += 1
      if (payment.paidAt < from) continue
      const place = placeOf(payment.id)
      addHub(sums, place, { count: 1, amount: String(payment.amount) })
      if (place === 'hub_only') hash.update(`${payment.id} hub_only\n`)
    }
  }
  return { days, hash: hash.digest('hex') }
}
