/** A signal of one call, which aborts with that of the caller. */
export interface Link {
  signal: AbortSignal
  /** The call has ended. */
  end(): void
}

/** Many calls may share one signal. Node.js warns of more than ten listeners of it, so that all calls of a client have one. */
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
