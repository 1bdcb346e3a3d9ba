import type { Clock } from '../platform/clock.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/** The burst, in seconds of the rate: after a power cut all speakers behind one address connect at once. */
const BURST_S = 10

/** Whether a connection from an address may be served. Asked once for each connection. */
export type ConnectLimit = (address: string) => boolean

/**
 * Limits the connections a second from each address. Why: a refused connection costs only this lookup, so a storm of
 * connections from one place does not slow the others.
 */
export function createConnectLimit(clock: Clock, perSecond: number): ConnectLimit {
  const buckets = createTokenBuckets(clock, { perSecond, burst: perSecond * BURST_S })
  return (address) => buckets.take(network(address)).allowed
}

/** An IPv6 customer has a whole /64 of addresses, so the limit counts the network. */
function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind
  const whole = [...groups, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? '').split(':')]
  return whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')
}
