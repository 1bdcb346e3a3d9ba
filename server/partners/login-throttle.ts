import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'

/** A network with this many failures for one client in the window must wait. */
export const FAILURES = 10
export const WINDOW_MS = 5 * 60_000
/** Pairs of client and network kept in memory; beyond it, the one that failed longest ago is dropped. */
const KEPT = 10_000

/** A wrong secret. `isClient`: whether the client exists. An unknown one is limited as well. */
export interface Guess {
  clientId: string
  network: string
  isClient: boolean
}

/** Limits the guesses of each client's secret by each network, so that nobody's guesses use up another's. */
export interface LoginThrottle {
  /**
   * Counts a guess, unless the network must wait: then answers the seconds until it may guess again. 0 when the guess
   * was counted. Checks and counts in one step, so that parallel guesses cannot all pass.
   */
  failed(guess: Guess): number | Promise<number>
}

/** Counts in memory. */
export function createLoginThrottle(clock: Clock): { failed(guess: Guess): number } {
  /** The times of the failures for real clients. */
  const ofClients = createBoundedMap<number[]>(KEPT)
  /** Kept apart, so that a flood of invented ids drops no failure of a real client. */
  const ofStrangers = createBoundedMap<number[]>(KEPT)
  const failuresOf = ({ isClient }: Guess) => (isClient ? ofClients : ofStrangers)

  function recent(guess: Guess): number[] {
    const since = clock.elapsed() - WINDOW_MS
    return (failuresOf(guess).get(keyOf(guess)) ?? []).filter((at) => at > since)
  }

  return {
    failed(guess) {
      const times = recent(guess)
      const oldest = times.at(-FAILURES)
      if (oldest !== undefined) return Math.ceil((oldest + WINDOW_MS - clock.elapsed()) / 1000)
      failuresOf(guess).set(keyOf(guess), [...times, clock.elapsed()])
      return 0
    },
  }
}

/** No network has a space in it. */
function keyOf({ network, clientId }: Guess): string {
  return `${network} ${clientId}`
}
