import { setTimeout as sleep } from 'node:timers/promises'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'

const UNAUTHORIZED = 401
const TOO_MANY = 429
/** The error of a device that has shown its three codes: waiting takes minutes, so it is not retried. */
const VERIFICATION_QUOTA = 42_901
/** The most retries of a request after 429. */
const MOST_TIMES_PUT_OFF = 600
const WHEN_NOT_TOLD_S = 1

/**
 * Sends a request as a long-running partner does: logs in again when the token has expired, and waits after
 * 429.
 */
export async function withRetries<T>(client: PartnerClient, ask: () => Promise<T>): Promise<T> {
  let hasLoggedIn = false
  for (let putOff = 0; ; putOff += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof PartnerRefusal)) throw error
      const isTooMuch = error.status === TOO_MANY && error.code !== VERIFICATION_QUOTA
      if (isTooMuch && putOff < MOST_TIMES_PUT_OFF)
        // Jitter, so that requests that were limited together do not return together.
        await sleep(1000 * (error.retryAfterS ?? WHEN_NOT_TOLD_S) * (1 + Math.random()))
      else if (error.status === UNAUTHORIZED && !hasLoggedIn) {
        hasLoggedIn = true
        await client.logIn()
      } else throw error
    }
  }
}
