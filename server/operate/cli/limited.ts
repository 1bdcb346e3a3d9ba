import type { Clock } from '../../platform/clock.ts'

/** When a request must end. */
export interface Limit {
  clock: Clock
  limitMs: number
  stopping: AbortSignal
}

/**
 * Runs a request with a signal that aborts at its limit, with a sentence as the reason, and when `stopping` does.
 * AbortSignal.timeout and AbortSignal.any would outlive the request: thousands add up within the limit.
 */
export async function limited<T>(
  { clock, limitMs, stopping }: Limit,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const end = () => ending.abort()
  // fetch() rejects with the reason of the abort.
  const late = new Error(`no answer within ${limitMs / 1_000} s`)
  const cancel = clock.after(limitMs, () => ending.abort(late))
  stopping.addEventListener('abort', end)
  if (stopping.aborted) end()
  try {
    return await request(ending.signal)
  } finally {
    cancel()
    stopping.removeEventListener('abort', end)
  }
}
