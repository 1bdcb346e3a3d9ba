import type { Clock } from '../../platform/clock.ts'

interface Ending {
  clock: Clock
  timeoutMs: number
  /** Ends the request early. */
  stopping: AbortSignal
}

/**
 * Runs a request with a signal that aborts when `stopping` does, and at the timeout, which has a sentence as its reason.
 * AbortSignal.timeout and AbortSignal.any would outlive the request: thousands add up within the timeout.
 */
export async function withTimeout<T>(
  { clock, timeoutMs, stopping }: Ending,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const end = () => ending.abort()
  // fetch() rejects with the reason of the abort.
  const late = new Error(`no answer within ${timeoutMs / 1_000} s`)
  const cancel = clock.after(timeoutMs, () => ending.abort(late))
  stopping.addEventListener('abort', end)
  if (stopping.aborted) end()
  try {
    return await request(ending.signal)
  } finally {
    cancel()
    stopping.removeEventListener('abort', end)
  }
}
