import { type Server, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorName, HubError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { plainAddress } from '../../platform/net/address.ts'
import type { Connections } from '../connections/connections.ts'
import { completeHeaders, requestIdFor } from '../response/response-headers.ts'
import { errorBody, errorHeaders, publicError } from './catalogue.ts'

/** The X-Request-Id of a request, as received. */
type ReceivedId = string | string[] | undefined

/** The methods of all routes: the answer to a method that names no path (CONNECT, OPTIONS *). */
const ALLOWED = { Allow: 'GET, HEAD, POST, PUT, PATCH' }

/**
 * How long a refused client that is still sending may read the error. Closing a socket with unread bytes resets the
 * connection, which discards the error that was written to it (RFC 9112, 9.6).
 */
const LINGER_MS = 500

export type Refusals = ReturnType<typeof createRefusals>

/** Answers requests that never reach the app, in the shape and with the headers of every other error. */
export function createRefusals(log: Logger) {
  function refuse(kind: ErrorName, received: ReceivedId, address?: string) {
    const requestId = requestIdFor(received)
    const error = new HubError(kind)
    const { status, code, error: name } = publicError(kind)
    log[status === 500 ? 'error' : 'info'](
      { requestId, address, status, code, error: name },
      'refused before it was a request',
    )
    return {
      status,
      headers: {
        ...completeHeaders(requestId),
        ...errorHeaders(error, status),
        ...(kind === 'METHOD_NOT_ALLOWED' && ALLOWED),
      },
      body: JSON.stringify(errorBody(error, requestId)),
    }
  }

  return {
    response(kind: ErrorName, requestId: ReceivedId) {
      const { body, ...init } = refuse(kind, requestId)
      return new Response(body, init)
    },
    /** Writes the error to a bare socket and closes it. */
    write(socket: Duplex, kind: ErrorName, requestId?: ReceivedId) {
      // The peer's: a broken request names no other that could be believed.
      const address = socket instanceof Socket ? plainAddress(socket.remoteAddress ?? '') : undefined
      const { status, headers, body } = refuse(kind, requestId, address)
      const lines = Object.entries({
        ...headers,
        'Content-Length': Buffer.byteLength(body),
        Date: new Date().toUTCString(),
        Connection: 'close',
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.on('error', () => socket.destroy())
      socket.resume()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
    },
  }
}

/**
 * Answers what Node cannot parse as HTTP, and what arrives too slowly:
 *  1. a broken connection is closed without an answer,
 *  2. earlier requests of the connection are answered first, so that no client takes the error for their answer,
 *  3. a request that is already answered gets no second answer when its body turns out to be broken,
 *  4. every other one gets the error, and the connection is closed.
 */
export function answerClientErrors(
  server: Server,
  refusals: Refusals,
  connections: Pick<Connections, 'answersOf'>,
) {
  const refused = new WeakSet<Duplex>()

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const kind = kindOf(error.code)
    // The bytes that follow an unreadable message raise the same error again.
    if (kind !== undefined && refused.has(socket)) return
    if (kind === undefined || !socket.writable) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const { responses = [], newest } = connections.answersOf(socket) ?? {}
    const broken = newest?.req.complete === false ? newest : undefined
    const earlier = responses.filter((response) => response !== broken)
    const closed = earlier.map((response) => new Promise((resolve) => response.once('close', resolve)))
    void Promise.all(closed).then(() => {
      if (broken?.headersSent) socket.destroy()
      else refusals.write(socket, kind, broken?.req.headers['x-request-id'])
    })
  })
}

/** Undefined when the connection ended without a message that can be answered. */
function kindOf(code: string | undefined): ErrorName | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'PAYLOAD_TOO_LARGE'
  return code?.startsWith('HPE_') ? 'MALFORMED_HTTP' : undefined
}
