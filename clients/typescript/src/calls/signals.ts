/** The signal of one call. It aborts when the caller's signal does. */
export interface Link {
  signal: AbortSignal
  /** Unlinks the signal when the call has ended. */
  end(): void
}

/** Many calls may share one signal. Node.js warns of more than ten listeners, so all calls of a client share one listener. */
export function createLinks(): (signal: AbortSignal | undefined) => Link {
  const shared = new WeakMap<AbortSignal, Set<AbortController>>()

  function callsOf(signal: AbortSignal): Set<AbortController> {
    const known = shared.get(signal)
    if (known) return known
    const calls = new Set<AbortController>()
    shared.set(signal, calls)
    const abort = () => {
      for (const call of calls) call.abort(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    return calls
  }

  return function link(signal) {
    const own = new AbortController()
    if (signal?.aborted) own.abort(signal.reason)
    const calls = signal && callsOf(signal).add(own)
    return { signal: own.signal, end: () => void calls?.delete(own) }
  }
}
