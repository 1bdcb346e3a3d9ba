const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm repeats the Ctrl+C that the terminal already sent: signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000

/**
 * Calls back for each request to end that arrives as a signal, with its number from 1. Time is monotonic, because
 * somebody may set the system clock meanwhile.
 */
export function onEndSignal(
  process: Pick<NodeJS.Process, 'on'>,
  onSignal: (count: number) => void,
  elapsedMs: () => number = () => performance.now(),
): void {
  let count = 0
  let signalledAtMs = Number.NEGATIVE_INFINITY
  const signalled = () => {
    const nowMs = elapsedMs()
    if (nowMs - signalledAtMs <= SAME_SIGNAL_MS) return
    signalledAtMs = nowMs
    count += 1
    onSignal(count)
  }
  for (const signal of SIGNALS) process.on(signal, signalled)
}

/** Resolves at the first signal. A second signal exits at once with `impatientCode`. */
export function endSignal(
  process: Pick<NodeJS.Process, 'on' | 'exit'>,
  impatientCode: number,
): Promise<undefined> {
  return new Promise((resolve) => {
    onEndSignal(process, (count) => {
      if (count > 1) process.exit(impatientCode)
      resolve(undefined)
    })
  })
}
