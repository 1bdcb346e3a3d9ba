import type { Clock } from '../platform/clock.ts'

/** Failures after which a client has to wait, counted over the window. */
const FAILURES = 10
const WINDOW_MS = 5 * 60_000
/** Clients remembered; beyond it the one that failed longest ago is forgotten, so that memory stays bounded. */
const CLIENTS = 10_000

/** Slows down guessing of client secrets, for each client id on its own. */
export interface LoginThrottle {
  /** Seconds until the client may try again; 0 when it may now. */
  blockedForS(clientId: string): number
  /** `isClient`: whether there is such a client; one that there is not is slowed down alike. */
  failed(clientId: string, isClient: boolean): void
}

export function createLoginThrottle(clock: Clock): LoginThrottle {
  const ofClients = new Map<string, number[]>()
  /** Apart, so that a flood of invented ids makes no guess at a real one forgotten. */
  const ofStrangers = new Map<string, number[]>()

  function recent(clientId: string): number[] {
    const since = clock.elapsed() - WINDOW_MS
    return (ofClients.get(clientId) ?? ofStrangers.get(clientId) ?? []).filter((at) => at > since)
  }

  return {
    blockedForS(clientId) {
      const times = recent(clientId)
      const oldest = times.at(-FAILURES)
      return oldest === undefined ? 0 : Math.ceil((oldest + WINDOW_MS - clock.elapsed()) / 1000)
    },
    failed(clientId, isClient) {
      const times = [...recent(clientId), clock.elapsed()].slice(-FAILURES)
      const failures = isClient ? ofClients : ofStrangers
      failures.delete(clientId)
      failures.set(clientId, times)
      if (failures.size <= CLIENTS) return
      const longestAgo = failures.keys().next().value
      if (longestAgo !== undefined) failures.delete(longestAgo)
    },
  }
}
