import { isIP } from 'node:net'
import { type InNetworks, plainAddress, readNetworks } from '../platform/net/address.ts'

/** All addresses of a host name. Rejects when it has none, and when they can not be found within seconds. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** What a webhook's address is checked with. */
export interface AddressCheck {
  resolve: Resolve
  /** The networks of HUB_WEBHOOK_ALLOW. */
  allow: InNetworks
}

/**
 * The networks that the hub never connects to for a partner, by what they are: its own, those around it, and those that
 * carry an IPv4 address in them, because that one could be any (IANA, special-purpose address registries). The first that
 * fits gives the reason. All public IPv6 addresses are in 2000::/3: what is outside of it is reserved.
 */
const REFUSED = Object.entries({
  'an unspecified address': '0.0.0.0/8, ::/128',
  'a loopback address': '127.0.0.0/8, ::1/128',
  'an IPv4-mapped address': '::ffff:0:0/96',
  'an IPv4-compatible address': '::/96',
  'an IPv4-translated address': '::ffff:0:0:0/96',
  'a NAT64 address': '64:ff9b::/96, 64:ff9b:1::/48',
  'a 6to4 address': '2002::/16',
  'a Teredo address': '2001::/32',
  'a private address': '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7',
  'a shared address of a carrier (CGNAT)': '100.64.0.0/10',
  'a link-local address': '169.254.0.0/16, fe80::/10',
  'a site-local address': 'fec0::/10',
  "an address of a cloud provider's own services": '168.63.129.16/32',
  'an address for documentation': '192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32, 3fff::/20',
  'an address for benchmarks': '198.18.0.0/15, 2001:2::/48',
  'a multicast address': '224.0.0.0/4, ff00::/8',
  'a broadcast address': '255.255.255.255/32',
  'a reserved address': '192.0.0.0/24, 192.88.99.0/24, 240.0.0.0/4, 2001::/23, ::/3, 4000::/2, 8000::/1',
}).map(([kind, networks]) => ({ kind, contains: readNetworks(networks) }))

/** What an address is, when it is none that the hub connects to for a partner. Undefined: it is public. */
function refusedKind(address: string): string | undefined {
  // A zone names an interface of the hub's machine.
  if (isIP(address) === 0 || address.includes('%')) return 'no address that can be checked'
  // The lists of networks take it for the IPv4 address in it.
  if (plainAddress(address) !== address) return 'an IPv4-mapped address'
  return REFUSED.find(({ contains }) => contains?.(address) ?? true)?.kind
}

/** Ports above 1023 of other services, which no browser sends a request to (Fetch Standard, "bad port"). */
const BAD_PORTS = [
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]

/** Whether the port is likely to be of another service than HTTP. The scheme's own port is written as none. */
function isServicePort({ port }: URL): boolean {
  if (port === '' || port === '443') return false
  return Number(port) < 1024 || BAD_PORTS.includes(Number(port))
}

/** Characters of a host name (RFC 1035). */
const NAME_LENGTH = 253

/** The target of a webhook as its URL names it. */
export interface Target {
  /** Normalised. */
  url: URL
  /** An address without brackets, or a name. */
  host: string
  isLiteral: boolean
}

/**
 * Reads the URL of a webhook, without asking for the addresses of its name. Half a sentence, which follows the name of the
 * field, says why one is refused. `new URL` writes every form of an IPv4 address, such as 0x7f.1 or 2130706433, as four
 * numbers.
 */
export function readTarget(text: string): Target | string {
  const url = URL.parse(text)
  if (!url) return 'must be a URL, such as https://example.com/hook'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (isServicePort(url)) return 'must have no port, 443, or one above 1023 that no other service has'
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host.length > NAME_LENGTH) return `must not have a host name of more than ${NAME_LENGTH} characters`
  if (host.endsWith('.')) return 'must not end its host name with a dot'
  if (host === 'localhost' || host.endsWith('.localhost')) return 'names localhost, which is the hub itself'
  return { url, host, isLiteral: isIP(host) !== 0 }
}

/**
 * Why the hub does not connect to the target when these are its addresses. Undefined: each of them may be connected to.
 * One refused address is enough: a connection may take any of them. The reason does not contain the addresses of a name,
 * because a partner could query the hub's internal name service with it.
 */
export function refusal(
  { url, isLiteral }: Pick<Target, 'url' | 'isLiteral'>,
  addresses: readonly string[],
  allow: InNetworks,
): string | undefined {
  for (const address of addresses) {
    if (!address.includes('%') && allow(address)) continue
    if (url.protocol === 'http:') return PLAIN
    const kind = refusedKind(address)
    if (kind !== undefined) return isLiteral ? `names ${kind}` : NOT_PUBLIC
  }
  return undefined
}

const NOT_PUBLIC = 'has a host name that does not lead to public addresses alone'
const PLAIN =
  'must begin with https://: plain http is taken only to networks that the operator has allowed by HUB_WEBHOOK_ALLOW'

/**
 * Checks the URL of a webhook when it is saved; every connection checks it again. `url` is normalised. A name that has no
 * address now may be saved: its deliveries say so.
 */
export async function checkUrl(
  text: string,
  { resolve, allow }: AddressCheck,
): Promise<{ ok: true; url: string } | { ok: false; why: string }> {
  const target = readTarget(text)
  if (typeof target === 'string') return { ok: false, why: target }
  const addresses = target.isLiteral ? [target.host] : await resolve(target.host).catch(() => [])
  // Nothing shows that the name of a plain http URL is in an allowed network.
  const isUnknown = addresses.length === 0 && target.url.protocol === 'http:'
  const why = isUnknown ? PLAIN : refusal(target, addresses, allow)
  return why === undefined ? { ok: true, url: target.url.href } : { ok: false, why }
}
