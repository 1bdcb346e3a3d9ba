import type { Clock } from '../clock.ts'

/** Between two questions whether this hub holds the lease. */
export const ASK_EVERY_MS = 1_000
/** Without another answer, a hub assumes for this time that it still holds the lease. */
const HELD_FOR_MS = 3_000

/** A lease of work that one of several hubs does. `leads` asks whether this hub holds it. */
export function createLease(leads: () => Promise<boolean>, clock: Clock) {
  let isHeld = false
  let heldUntil = 0
  let askAt = 0
  return {
    isValid: () => clock.elapsed() <= heldUntil,
    /** Asks when it is time. Resolves to whether this hub does the work. */
    async renew(): Promise<boolean> {
      const askedAt = clock.elapsed()
      if (askedAt < askAt) return isHeld
      isHeld = await leads()
      askAt = askedAt + ASK_EVERY_MS
      heldUntil = isHeld ? askedAt + HELD_FOR_MS : 0
      return isHeld
    },
  }
}
