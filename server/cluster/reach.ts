import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'

/** PostgreSQL fails over within this time. */
const AWAY_MS = 10_000
const ASK_EVERY_MS = 5_000
/** A network that comes and goes must not move the speakers each time. */
const BACK_MS = 5_000

interface ReachDeps {
  /** Asks other hubs whether one of them reaches PostgreSQL. */
  isPeerReady: () => Promise<boolean>
  /** The machine's. */
  clock: Pick<Clock, 'elapsed'>
  log: Logger
}

/**
 * Detects that this hub is cut off: it does not reach PostgreSQL, and another hub does. When none does, PostgreSQL is away
 * for all, and a hub that sent its speakers elsewhere would help nobody.
 */
export function watchReach({ isPeerReady, clock, log }: ReachDeps) {
  const listeners = new Set<(isCutOff: boolean) => void>()
  let isCutOff = false
  let awaySince: number | undefined
  let backSince: number | undefined
  let mayAskAt = 0

  function become(now: boolean) {
    isCutOff = now
    for (const listener of listeners) listener(now)
  }

  return {
    /** PostgreSQL has answered. */
    reached() {
      awaySince = undefined
      if (!isCutOff) return
      backSince ??= clock.elapsed()
      if (clock.elapsed() - backSince < BACK_MS) return
      log.warn('this hub reaches PostgreSQL again, and takes speakers')
      become(false)
    },

    /** PostgreSQL has not answered. Call it at each attempt: a hub that was stopped has made none. */
    async missed() {
      backSince = undefined
      awaySince ??= clock.elapsed()
      const now = clock.elapsed()
      if (isCutOff || now - awaySince < AWAY_MS || now < mayAskAt) return
      mayAskAt = now + ASK_EVERY_MS
      const isReady = await isPeerReady()
      // PostgreSQL may have answered meanwhile.
      if (!isReady || isCutOff || awaySince === undefined) return
      log.warn('this hub does not reach PostgreSQL, and another one does: the speakers go there')
      become(true)
    },

    onCutOff: (listener: (isCutOff: boolean) => void) => void listeners.add(listener),
  }
}
