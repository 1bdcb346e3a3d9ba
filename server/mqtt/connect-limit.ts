import type { Clock } from '../platform/clock.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'

/** Seconds' worth of connections that an address may open at once: all speakers behind it, after a power cut. */
const BURST_S = 10

/** Says whether a connection from an address may be served; asked once for each connection. */
export type ConnectLimit = (address: string) => boolean

/**
 * A limit on connections a second for each address. Why: whoever may not connect costs nothing but this look, so
 * that a storm of connections from one place leaves the others alone.
 */
export function createConnectLimit(clock: Clock, perSecond: number): ConnectLimit {
  const buckets = createTokenBuckets(clock, { perSecond, burst: perSecond * BURST_S })
  return (address) => buckets.take(network(address)).allowed
}

/** An IPv6 customer has a whole /64 of addresses; the rest of the address tells nothing. */
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
