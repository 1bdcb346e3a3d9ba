import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'

/** A client with this many failures in the window must wait. */
const FAILURES = 10
const WINDOW_MS = 5 * 60_000
/** Clients kept in memory; beyond it, the one that failed longest ago is dropped. */
const CLIENTS = 10_000

/** Limits the guesses of each client's secret. */
export interface LoginThrottle {
  /** Seconds until the client may try again; 0 when it may try now. */
  blockedForS(clientId: string): number
  /** `isClient`: whether the client exists. An unknown one is limited as well. */
  failed(clientId: string, isClient: boolean): void
}

export function createLoginThrottle(clock: Clock): LoginThrottle {
  /** The times of each client's failures. */
  const ofClients = createBoundedMap<number[]>(CLIENTS)
  /** Kept apart, so that a flood of invented ids drops no failure of a real client. */
  const ofStrangers = createBoundedMap<number[]>(CLIENTS)

  function recent(clientId: string): number[] {
    const since = clock.elapsed() - WINDOW_MS
    return (ofClients.get(clientId) ?? ofStrangers.get(clientId) ?? []).filter((at) => at > since)
  }

  return {
    blockedForS(clientId) {
      const oldest = recent(clientId).at(-FAILURES)
      return oldest === undefined ? 0 : Math.ceil((oldest + WINDOW_MS - clock.elapsed()) / 1000)
    },
    failed(clientId, isClient) {
      const times = [...recent(clientId), clock.elapsed()].slice(-FAILURES)
      const failures = isClient ? ofClients : ofStrangers
      failures.set(clientId, times)
    },
  }
}
