/** Time, as a client sees it. Tests wind their own. */
export interface Clock {
  /** Milliseconds that pass evenly, from any start. */
  now(): number
  /** Resolves after so many milliseconds. Rejects with the reason of the signal when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The longest that `setTimeout` can wait. */
const LONGEST_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        Math.min(ms, LONGEST_MS),
      )
      signal?.addEventListener('abort', abort, { once: true })
    }),
}

export interface Limit {
  clock: Clock
  limitMs: number
  signal: AbortSignal | undefined
  /** What it rejects with at the limit. */
  late(): Error
}

/**
 * Runs `act` until it ends, the limit passes or the caller's signal aborts. In the last two cases the signal of `act` aborts.
 * The wait ends even when `act` goes on: not every `fetch` obeys a signal, least of all while it reads the answer.
 */
export function withLimit<T>(
  act: (signal: AbortSignal) => Promise<T>,
  { clock, limitMs, signal, late }: Limit,
): Promise<T> {
  const cut = new AbortController()
  const end = new AbortController()
  const abort = () => cut.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  // The end of the wait ends the sleep.
  clock.sleep(limitMs, end.signal).then(
    () => cut.abort(late()),
    () => undefined,
  )
  return new Promise<T>((resolve, reject) => {
    cut.signal.addEventListener('abort', () => reject(cut.signal.reason), { once: true })
    if (signal?.aborted) abort()
    else act(cut.signal).then(resolve, reject)
  }).finally(() => {
    end.abort()
    signal?.removeEventListener('abort', abort)
  })
}
