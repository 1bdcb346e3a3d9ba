import type { Clock } from '../../platform/clock.ts'

/** Looks again and again, one look at a time. `look` never rejects. It resolves to the pause before the next look. */
export function createLooks(clock: Clock, look: () => Promise<number>) {
  let phase: 'stopped' | 'waiting' | 'looking' = 'stopped'
  let nextAt = Number.POSITIVE_INFINITY
  let cancel: () => void = () => undefined
  let last: Promise<void> = Promise.resolve()
  const isRunning = () => phase !== 'stopped'

  async function run() {
    phase = 'looking'
    nextAt = Number.POSITIVE_INFINITY
    const pauseMs = await look()
    if (isRunning()) wait(pauseMs)
  }

  function wait(pauseMs: number) {
    phase = 'waiting'
    soon(pauseMs)
  }

  /** Unless a look is under way, or planned for an earlier time: who asks all the time must not put it off. */
  function soon(pauseMs: number) {
    const at = clock.elapsed() + pauseMs
    if (phase !== 'waiting' || nextAt <= at) return
    nextAt = at
    cancel()
    cancel = clock.after(pauseMs, () => {
      last = run()
    })
  }

  return {
    isRunning,
    start: () => wait(0),
    soon,
    /** Resolves when the last look is over. */
    stop() {
      phase = 'stopped'
      cancel()
      return last
    },
  }
}
