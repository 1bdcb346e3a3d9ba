import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** An IPv4 address that arrives at an IPv6 socket. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The address that a log shows: IPv4 without the prefix of an IPv6 socket. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address
}

/** The network that a limit counts: an IPv4 address, or the /64 of an IPv6 address, because a customer has all of it. */
export function networkOf(address: string, bits: 48 | 64 = 64): string {
  const plain = plainAddress(address)
  if (!plain.includes(':')) return plain
  const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, bits / 16)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

/** Whether an address is in one of some networks. */
export type InNetworks = (address: string) => boolean

/** Whether an address is a proxy that may name the address of its client. */
export type TrustsProxy = InNetworks

/** Reads a list of addresses and networks (`10.0.0.0/8`), with commas between them. Undefined when one of them is neither. */
export function readNetworks(text: string): InNetworks | undefined {
  // One for each family: BlockList finds an IPv4 address also under IPv6 networks.
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const part of text.split(',').map((one) => one.trim())) {
    const [address = '', bits, ...rest] = part.split('/')
    const family = isIP(address)
    const widest = family === 4 ? 32 : 128
    if (family === 0 || rest.length > 0) return undefined
    if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > widest)) return undefined
    const name = family === 4 ? 'ipv4' : 'ipv6'
    networks[name].addSubnet(address, bits === undefined ? widest : Number(bits), name)
  }
  return (address) => {
    const plain = plainAddress(address)
    const name = isIP(plain) === 4 ? 'ipv4' : 'ipv6'
    return isIP(plain) !== 0 && networks[name].check(plain, name)
  }
}

/** No network: believes no proxy, allows no address. */
export const NO_NETWORK: InNetworks = () => false
export const NO_PROXY: TrustsProxy = NO_NETWORK

/**
 * The address of a request's client: the peer's, or the one that trusted proxies tell. Each proxy appends the address of
 * its own peer to X-Forwarded-For, so the rightmost entry that is no trusted proxy is the client; what stands left of it,
 * the client may have written itself. The header of anybody else is ignored, and so is `Forwarded` (RFC 7239).
 */
export function requestAddress({ socket, headers }: IncomingMessage, trusts: TrustsProxy): string {
  const peer = plainAddress(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined || !trusts(peer)) return peer
  // Node joins repeated headers of this name with commas.
  const entries = String(forwarded).split(',')
  const client = entries.map((entry) => plainAddress(entry.trim())).findLast((entry) => !trusts(entry))
  return client !== undefined && isIP(client) !== 0 ? client : peer
}
