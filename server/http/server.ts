import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Clock } from '../platform/clock.ts'
import type { Connections } from './connections/connections.ts'
import { answerClientErrors, type Refusals } from './errors/before-http.ts'
import { MAX_BODY_BYTES, MAX_FILE_BYTES } from './guards/checks.ts'

const MAX_HEADER_BYTES = 8 * 1024

/** The server's timeouts. */
export interface Patience {
  /** For a request's headers. */
  headersMs: number
  /** For a whole request. */
  requestMs: number
  /** For a client that reads nothing of its response. */
  stalledMs: number
  /** How often the first two are checked. */
  lookEveryMs: number
}

const PATIENCE: Patience = { headersMs: 10_000, requestMs: 15_000, stalledMs: 30_000, lookEveryMs: 1_000 }

/** The path of MQTT over WebSocket on the HTTP port. */
export const WEBSOCKET_PATH = '/mqtt'

/** Replaces a Host that HTTP/1.0 may leave out; no response depends on it. */
const NO_HOST = 'localhost'

/** Any other upgrade is ignored, and the request is answered normally: some clients offer HTTP/2 with each request. */
function isMqttUpgrade({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** RFC 9112, 3.2: exactly one Host, which HTTP/1.0 may leave out. */
function hasValidHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** Answers a request. `incoming` is Node's, by which `connections` knows it. */
export type Fetch = (request: Request, env: { incoming: IncomingMessage }) => Response | Promise<Response>

interface ServerDeps {
  refusals: Refusals
  connections: Connections
  /** No request is answered before it is fresh. */
  clock: Pick<Clock, 'fresh'>
}

/**
 * The HTTP server of the app; it does not listen yet. Errors that Node would answer by itself get the shape of all
 * other errors. Held by test/server/http/hostile*.test.ts.
 */
export function createHttpServer(
  fetch: Fetch,
  { refusals, connections, clock }: ServerDeps,
  patience: Patience = PATIENCE,
): Server {
  const fetchFresh: Fetch = (request, env) => {
    const fresh = clock.fresh?.()
    return fresh !== undefined ? fresh.then(() => fetch(request, env)) : fetch(request, env)
  }
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const id = incoming.headers['x-request-id']
    const refuse = () => refusals.response(incoming.url === '*' ? 'METHOD_NOT_ALLOWED' : 'MALFORMED_HTTP', id)
    const listener = getRequestListener(
      hasValidHost(incoming) ? (request) => fetchFresh(request, { incoming }) : refuse,
      {
        hostname: NO_HOST,
        // A malformed URL never reaches `fetch`, which handles its own errors.
        errorHandler: (error) =>
          error instanceof RequestError ? refuse() : refusals.response('INTERNAL', id),
      },
    )
    return listener(incoming, outgoing)
  }

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.lookEveryMs,
    // Checked by hasValidHost.
    requireHostHeader: false,
    shouldUpgradeCallback: isMqttUpgrade,
  })
  server.timeout = patience.stalledMs
  answerClientErrors(server, refusals, connections)
  connections.serve(server, answer)
  server.on('checkContinue', (incoming, outgoing) => {
    // A body that is too large is refused before it is sent.
    // A file is refused by its operation, behind the token.
    const most = incoming.headers['content-type']?.startsWith('application/json')
      ? MAX_BODY_BYTES
      : MAX_FILE_BYTES
    if (Number(incoming.headers['content-length'] ?? 0) <= most) outgoing.writeContinue()
    server.emit('request', incoming, outgoing)
  })
  // RFC 9110, 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('connect', (incoming, socket) =>
    refusals.write(socket, 'METHOD_NOT_ALLOWED', incoming.headers['x-request-id']),
  )
  return server
}
