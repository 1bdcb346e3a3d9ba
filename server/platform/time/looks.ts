import type { Clock } from '../clock.ts'
import { isUnavailable } from '../errors.ts'
import type { Logger } from '../log.ts'

interface Looking {
  /** Resolves to the pause before the next look. `succeeded` says before its end that it has not failed. */
  look: (succeeded: () => void) => Promise<number>
  /** Logged once, until a look succeeds. Nothing is logged of a storage that is away: the sweep says that. */
  failure: string
  /** The pause after a look that has failed. */
  retryMs: number
}

/** Looks again and again, one look at a time. */
export function createLooks(
  { clock, log }: { clock: Clock; log: Logger },
  { look, failure, retryMs }: Looking,
) {
  let phase: 'stopped' | 'waiting' | 'looking' = 'stopped'
  let nextAt = Number.POSITIVE_INFINITY
  let cancel: () => void = () => undefined
  let last: Promise<void> = Promise.resolve()
  /** How the last look has ended: `away` when the storage was not available. */
  let ended: 'succeeded' | 'away' | 'failed' = 'succeeded'
  const isRunning = () => phase !== 'stopped'

  async function run() {
    phase = 'looking'
    nextAt = Number.POSITIVE_INFINITY
    const pauseMs = await lookOrLog()
    if (isRunning()) wait(pauseMs)
  }

  function succeeded() {
    ended = 'succeeded'
  }

  async function lookOrLog(): Promise<number> {
    try {
      const pauseMs = await look(succeeded)
      succeeded()
      return pauseMs
    } catch (error) {
      const isAway = isUnavailable(error)
      if (!isAway && ended !== 'failed') log.error({ err: error }, failure)
      ended = isAway ? 'away' : 'failed'
      return retryMs
    }
  }

  function wait(pauseMs: number) {
    phase = 'waiting'
    soon(pauseMs)
  }

  /** Does nothing while a look runs, or when one is planned earlier: repeated calls must not postpone it. */
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
    hasFailed: () => ended !== 'succeeded',
    /** The first look comes after `pauseMs`. */
    start: (pauseMs = 0) => wait(pauseMs),
    soon,
    /** Resolves when the last look is over. */
    stop() {
      phase = 'stopped'
      cancel()
      nextAt = Number.POSITIVE_INFINITY
      return last
    },
  }
}
