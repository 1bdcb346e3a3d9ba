import { setTimeout as sleep } from 'node:timers/promises'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'

const UNAUTHORIZED = 401
const TOO_MANY = 429
/** The error for a device that has shown its three codes: that is over in minutes, not in a moment. */
const VERIFICATION_QUOTA = 42_901
/** How often a request is put off because the partner asks too much at once. */
const MOST_TIMES_PUT_OFF = 600
const WHEN_NOT_TOLD_S = 1

/**
 * Asks the hub as a partner who stays for days: logs in anew when its token has run out, and comes again when the
 * hub says that it asks too much.
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
        // Spread, so that those who were put off together do not come back together.
        await sleep(1000 * (error.retryAfterS ?? WHEN_NOT_TOLD_S) * (1 + Math.random()))
      else if (error.status === UNAUTHORIZED && !hasLoggedIn) {
        hasLoggedIn = true
        await client.logIn()
      } else throw error
    }
  }
}
