/** Requests of one webhook that may be under way: what every endpoint gets, and what the fastest gets. */
export const UNDER_WAY = { least: 4, most: 64 } as const
/** So many slow replies in a row are congestion, as in TCP's HyStart. Single ones have many other reasons. */
const SLOW_IN_A_ROW = 8
/** A reply that is later by less than this tells nothing: the hub itself takes some of it. */
const JITTER_MS = 20

/**
 * The concurrency limit of an endpoint, by additive increase and multiplicative decrease (AIMD), as TCP's congestion window.
 * After as many replies as the limit, it rises by one if so many requests were under way. A decrease goes to the least at
 * once: at a failure, at congestion, and while the hub is busy with payments or with many endpoints.
 *
 * Why one at a time: an endpoint that refuses what is too much then refuses a single event. If the limit doubled, it could
 * refuse ten in a row, which open the circuit.
 */
export interface ConcurrencyLimit {
  readonly value: number
  /** Replies to requests that were begun before tell nothing. */
  readonly fellAt: number
  /** The fastest reply since then. */
  readonly fastestMs: number
  readonly slowInARow: number
  /** Since the limit has changed: replies, and whether as many requests as the limit were under way at once. */
  readonly replies: number
  readonly isFull: boolean
}

/** The least, as at the beginning. Times are those of a clock that nobody can set. */
export function fallen(fellAt = Number.NEGATIVE_INFINITY): ConcurrencyLimit {
  const unknown = { fastestMs: Number.POSITIVE_INFINITY, slowInARow: 0, replies: 0, isFull: false }
  return { value: UNDER_WAY.least, fellAt, ...unknown }
}

/**
 * After a reply that says that the endpoint has the event. `underWay` counts its request, which was begun at `at`.
 *
 * Congestion is replies that take more than twice as long as the fastest one: requests wait for each other.
 */
export function afterReply(
  limit: ConcurrencyLimit,
  { at, ms, underWay }: { at: number; ms: number; underWay: number },
  elapsed: number,
): ConcurrencyLimit {
  const { value, fellAt } = limit
  if (at <= fellAt) return limit
  const fastestMs = Math.min(limit.fastestMs, ms)
  const slowInARow = ms > 2 * fastestMs + JITTER_MS ? limit.slowInARow + 1 : 0
  if (slowInARow >= SLOW_IN_A_ROW) return fallen(elapsed)
  const replies = limit.replies + 1
  const isFull = limit.isFull || underWay >= value
  if (replies < value) return { value, fellAt, fastestMs, slowInARow, replies, isFull }
  const next = isFull ? Math.min(value + 1, UNDER_WAY.most) : value
  return { value: next, fellAt, fastestMs, slowInARow, replies: 0, isFull: false }
}
