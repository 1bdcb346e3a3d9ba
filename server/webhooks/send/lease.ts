import type { Clock } from '../../platform/clock.ts'

/** Between two questions whether this hub sends. */
const ASK_EVERY_MS = 1_000
/** A hub that was told that it sends does so for this time, if it gets no other answer. */
const HELD_FOR_MS = 3_000

/** Of several hubs one sends. `leads` asks whether it is this one. */
export function createLease(leads: () => Promise<boolean>, clock: Clock) {
  let isHeld = false
  let heldUntil = 0
  let askAt = 0
  return {
    isValid: () => clock.elapsed() <= heldUntil,
    /** Asks when it is time. Resolves to whether this hub sends. */
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
