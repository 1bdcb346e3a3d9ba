import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'

/** Limits that Node enforces before a request reaches the app: a slow or bloated sender is cut. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often the two timeouts are looked at. */
  connectionsCheckingInterval: 1_000,
}

/** The HTTP server of the app. It listens to nothing yet. */
export function createHttpServer(fetch: (request: Request) => Response | Promise<Response>): Server {
  const listener = getRequestListener(fetch)
  return createServer(LIMITS, (request, response) => void listener(request, response))
}
