import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { plainAddress, type TrustsProxy } from '../platform/net/address.ts'

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
