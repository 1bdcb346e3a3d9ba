import type { IncomingMessage } from 'node:http'
import { NO_PROXY, plainAddress, type TrustsProxy } from '../platform/net/address.ts'

/** Whose pages may connect. */
export interface PageRules {
  /** Origins that are taken besides the hub's own, as `readOrigin` writes them. */
  origins?: readonly string[]
  /** Peers that may name the host of the request that they forward. */
  trustsProxy?: TrustsProxy
}

/**
 * The origin of a page that may not connect. Undefined when no page asks, because only browsers name an origin; when the
 * page is the hub's own, over `http` or `https`, because a proxy may have ended TLS; or when the origin is in the list.
 * The hub's own host is that of `Host`, and behind a trusted proxy that of `X-Forwarded-Host` too: a page can set neither.
 */
export function foreignOrigin(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { origins = [], trustsProxy = NO_PROXY }: PageRules,
): string | undefined {
  const { origin, host, 'x-forwarded-host': forwarded } = headers
  if (origin === undefined || origins.includes(origin)) return undefined
  if (!URL.canParse(origin)) return origin
  const page = new URL(origin)
  const isTrusted = forwarded !== undefined && trustsProxy(plainAddress(socket.remoteAddress ?? ''))
  const hosts = [host ?? '', ...(isTrusted ? String(forwarded).split(',') : [])]
  const isOwn = hosts.some((one) => {
    // The port that a scheme has by default may be left out on either side.
    const own = `${page.protocol}//${one.trim()}`
    return page.host !== '' && URL.canParse(own) && new URL(own).host === page.host
  })
  return isOwn ? undefined : origin
}
