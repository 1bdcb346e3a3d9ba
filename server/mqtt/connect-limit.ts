import type { Clock } from '../platform/clock.ts'
import { networkOf } from '../platform/net/address.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/** The burst, in seconds of the rate: after a power cut all speakers behind one address connect at once. */
const BURST_S = 10

/**
 * Limits the connections a second from each address. Why: a refused connection costs only this lookup, so a storm of
 * connections from one place does not slow the others.
 */
export function createConnectLimit(clock: Clock, perSecond: number): (address: string) => boolean {
  const buckets = createTokenBuckets(clock, { perSecond, burst: perSecond * BURST_S })
  return (address) => buckets.take(networkOf(address)).allowed
}
