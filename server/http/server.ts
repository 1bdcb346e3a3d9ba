import { createServer, type IncomingMessage, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'

/** Limits that Node enforces before a request reaches the app: a slow or bloated sender is cut. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often the two timeouts are looked at. */
  connectionsCheckingInterval: 1_000,
}

/** Where MQTT over WebSocket is served, on the HTTP port. */
const WEBSOCKET_PATH = '/mqtt'

/** Every other offer to upgrade is declined by answering plainly: some clients offer HTTP/2 with each request. */
function isMqttUpgrade({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** The HTTP server of the app. It listens to nothing yet. */
export function createHttpServer(fetch: (request: Request) => Response | Promise<Response>): Server {
  const listener = getRequestListener(fetch)
  return createServer(
    { ...LIMITS, shouldUpgradeCallback: isMqttUpgrade },
    (request, response) => void listener(request, response),
  )
}
