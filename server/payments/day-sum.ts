import type { Stage } from '../announcements/announcement.ts'

/** What became of a payment's announcement. */
export const RESULTS = ['played', 'missed', 'suppressed', 'failed', 'open', 'delivered'] as const
export type Result = (typeof RESULTS)[number]

const RESULT_OF: Record<Stage, Result> = {
  ...{ queued: 'open', sent: 'open', received: 'open' },
  ...{
    played: 'played',
    delivered: 'delivered',
    failed: 'failed',
    expired: 'missed',
    suppressed: 'suppressed',
  },
}
/**
 * The best speaker counts: one that has spoken, then one that may still speak, then one that has perhaps spoken, then one
 * that shows the payment.
 */
const BEST_FIRST: readonly Result[] = ['played', 'open', 'delivered', 'missed', 'failed', 'suppressed']

/** What became of a payment, by the stages of its announcements. Undefined: its shop had no speaker. */
export function resultOf(stages: readonly Stage[]): Result | undefined {
  const results = stages.map((stage) => RESULT_OF[stage])
  return BEST_FIRST.find((result) => results.includes(result))
}

/** Payments in numbers. Those without a speaker are in `count` and `amount` alone. */
export interface ResultSum extends Record<Result, number> {
  count: number
  /** Đồng. */
  amount: bigint
}

export const NO_PAYMENTS: ResultSum = {
  ...{ count: 0, amount: 0n },
  ...{ played: 0, missed: 0, suppressed: 0, failed: 0, open: 0, delivered: 0 },
}

export function addSums(one: ResultSum, other: ResultSum): ResultSum {
  const counts = (['count', ...RESULTS] as const).map((name) => [name, one[name] + other[name]])
  return { ...NO_PAYMENTS, ...Object.fromEntries(counts), amount: one.amount + other.amount }
}

/** Sums are kept by quarters of an hour: every zone's day begins with one. */
export const QUARTER_MS = 15 * 60_000
