import type { IncomingMessage } from 'node:http'
import { isSafeHost } from '../platform/net/host.ts'

/**
 * The origin of a page that may not connect. Undefined when no page asks, because only browsers name an origin; when the
 * origin is in the list; and for the hub's own page at an address or at localhost, over `http` or `https`.
 *
 * Why no other name is the hub's own because the page and `Host` agree on it: whoever owns a name can let it lead to the hub
 * for a moment (DNS rebinding), and both are that name then.
 */
export function foreignOrigin(
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
  origins: readonly string[],
): string | undefined {
  if (origin === undefined || origins.includes(origin)) return undefined
  const page = URL.parse(origin)
  // The port that a scheme has by default may be left out on either side.
  const own = page && URL.parse(`${page.protocol}//${host}`)
  return own && isSafeHost(host) && own.host === page.host ? undefined : origin
}
