const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Ctrl+C reaches a process from the terminal and again from npm: within this time it is one wish, later another. */
const SAME_SIGNAL_MS = 1_000

/**
 * Calls back at each wish to end that comes as a signal: which one it is, from 1 on. Its time is not that of the day,
 * which may be set while the process ends.
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

/** Resolves at the first wish to end; a second one does not wait for what is done about it, and exits with this code. */
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
