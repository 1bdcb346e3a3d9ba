import { fieldError, HubError } from '../platform/errors.ts'
import { type AddressCheck, checkUrl } from './address.ts'

/** Addresses that are checked for one partner at a time: a name service that hangs takes some seconds for each. */
const MOST_CHECKS = 4
/** The most that a check takes: two questions to each of some name servers. */
const CHECK_MS = 15_000

/** Called when a request begins to wait, as `guards.rests`. */
export type Holds = (ms: number) => unknown

export type AcceptUrl = (clientId: string, text: string, holds: Holds) => Promise<string>

/**
 * Makes the function that gives the URL as it is stored, for all verbs. It throws WEBHOOK_URL_REFUSED, and RATE_LIMITED
 * when the partner has as many checks under way as it may have.
 */
export function createUrlCheck(addresses: AddressCheck): AcceptUrl {
  /** By partner. */
  const underWay = new Map<string, number>()

  return async function acceptUrl(clientId, text, holds) {
    const others = underWay.get(clientId) ?? 0
    if (others >= MOST_CHECKS) throw new HubError('RATE_LIMITED', { retryAfterS: 1 })
    underWay.set(clientId, others + 1)
    holds(CHECK_MS)
    try {
      const checked = await checkUrl(text, addresses)
      if (!checked.ok) throw fieldError('WEBHOOK_URL_REFUSED', 'url', checked.why)
      return checked.url
    } finally {
      const left = (underWay.get(clientId) ?? 1) - 1
      if (left === 0) underWay.delete(clientId)
      else underWay.set(clientId, left)
    }
  }
}
