import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { type History, isAccepted, type Payment } from './history.ts'

/** A speaker that is connected for so long can speak all that waits for it. */
const LONG_ENOUGH_MS = 20_000

/** Whether the speaker of a payment's shop was offline for nearly all of the time in which the payment was fresh. */
export function wasAway(history: History): (payment: Payment) => boolean {
  const changes = Map.groupBy(
    history.entries.flatMap((entry) => (entry.kind === 'online' || entry.kind === 'offline' ? [entry] : [])),
    ({ terminalID }) => terminalID,
  )
  return (payment) => {
    const accepted = history.of(payment).find(isAccepted)
    // It may have been stored by any of its reports.
    if (!accepted) return true
    const storedFrom = accepted.isReplay ? history.times(payment).asked : accepted.from
    const until = (storedFrom ?? 0) + ANNOUNCEMENT_FRESH_MS
    const own = changes.get(payment.terminalID) ?? []
    return own.every(({ kind, at }, index) => {
      const end = Math.min(own[index + 1]?.at ?? until, until)
      return kind === 'offline' || end - Math.max(at, accepted.at) < LONG_ENOUGH_MS
    })
  }
}

/** The number of some payments, and their sum. */
interface Sum {
  count: number
  sum: bigint | string
}

/**
 * Whether the notices of a speaker are about exactly what it missed. A notice may replace the one before it and name its
 * payments again, because the hub need not know that it was shown (sb/1 7.23).
 */
export function addsUp(notices: readonly Sum[], missed: Sum): boolean {
  let last: Sum = { count: 0, sum: 0n }
  /** All that the notices before the last one may be about, without those that were replaced. */
  let before: Sum[] = [last]
  for (const notice of notices) {
    const isReplaced = notice.count >= last.count && BigInt(notice.sum) >= BigInt(last.sum)
    const both = [...before.map((one) => plus(one, last)), ...(isReplaced ? before : [])]
    const apart = new Map(both.map((one) => [`${one.count} ${one.sum}`, one]))
    before = [...apart.values()].filter(({ count }) => count <= missed.count)
    last = notice
  }
  const all = before.map((one) => plus(one, last))
  return all.some(({ count, sum }) => count === missed.count && sum === missed.sum)
}

function plus(a: Sum, b: Sum): Sum & { sum: bigint } {
  return { count: a.count + b.count, sum: BigInt(a.sum) + BigInt(b.sum) }
}
