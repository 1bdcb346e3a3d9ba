import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Refusals } from './errors/before-http.ts'
import { answerClientErrors } from './errors/client-errors.ts'
import { MAX_BODY_BYTES } from './guards/body.ts'

const MAX_HEADER_BYTES = 8 * 1024

/** How long the server waits for a client. */
export interface Patience {
  /** For a request's headers. */
  headersMs: number
  /** For a whole request. */
  requestMs: number
  /** For a client that takes nothing of its answer. */
  stalledMs: number
  /** How often the first two are looked at. */
  lookEveryMs: number
}

const PATIENCE: Patience = { headersMs: 10_000, requestMs: 15_000, stalledMs: 30_000, lookEveryMs: 1_000 }

/** Where MQTT over WebSocket is served, on the HTTP port. */
const WEBSOCKET_PATH = '/mqtt'

/** Stands for the Host that HTTP/1.0 need not name; no answer depends on it. */
const NO_HOST = 'localhost'

/** What the hub takes at some path: the answer to a method that names no path (CONNECT, OPTIONS *). */
const ALLOWED = { Allow: 'GET, HEAD, POST, PUT, PATCH' }

/** Every other offer to upgrade is declined by answering plainly: some clients offer HTTP/2 with each request. */
function isMqttUpgrade({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** RFC 9112, 3.2: exactly one Host, which HTTP/1.0 may leave out. */
function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/**
 * The HTTP server of the app. It listens to nothing yet. What Node would answer by itself, it answers in the shape
 * of all errors; held by test/server/http/hostile*.test.ts.
 */
export function createHttpServer(
  fetch: (request: Request) => Response | Promise<Response>,
  refusals: Refusals,
  patience: Patience = PATIENCE,
): Server {
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const known = { requestId: incoming.headers['x-request-id'] }
    const refuse = () =>
      incoming.url === '*'
        ? refusals.response('METHOD_NOT_ALLOWED', { ...known, headers: ALLOWED })
        : refusals.response('MALFORMED_HTTP', known)
    const listener = getRequestListener(namesItsHost(incoming) ? fetch : refuse, {
      hostname: NO_HOST,
      // What is no URL with its Host never gets to `fetch`, which handles its own errors.
      errorHandler: (error) =>
        error instanceof RequestError ? refuse() : refusals.response('INTERNAL', known),
    })
    void listener(incoming, outgoing)
  }

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.lookEveryMs,
    // Asked for above, where it is answered in our shape.
    requireHostHeader: false,
    shouldUpgradeCallback: isMqttUpgrade,
  })
  server.timeout = patience.stalledMs
  answerClientErrors(server, refusals)
  server.on('request', answer)
  server.on('checkContinue', (incoming, outgoing) => {
    // A body that will be refused for its length need not come at all.
    if (Number(incoming.headers['content-length'] ?? 0) <= MAX_BODY_BYTES) outgoing.writeContinue()
    server.emit('request', incoming, outgoing)
  })
  // RFC 9110, 10.1.1: an expectation that is not known may be ignored.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('connect', (incoming, socket) =>
    refusals.write(socket, 'METHOD_NOT_ALLOWED', {
      requestId: incoming.headers['x-request-id'],
      headers: ALLOWED,
    }),
  )
  return server
}
