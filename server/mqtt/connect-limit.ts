import type { Clock } from '../platform/clock.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/** The burst, in seconds of the rate: after a power cut all speakers behind one address connect at once. */
const BURST_S = 10

/**
 * Limits the connections a second from each address. Why: a refused connection costs only this lookup, so a storm of
 * connections from one place does not slow the others.
 */
export function createConnectLimit(clock: Clock, perSecond: number): (address: string) => boolean {
  const buckets = createTokenBuckets(clock, { perSecond, burst: perSecond * BURST_S })
  return (address) => buckets.take(network(address)).allowed
}

/** An IPv6 customer has a whole /64 of addresses, so the limit counts the network. */
function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
