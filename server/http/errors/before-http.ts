import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Hono } from 'hono'
import { type ErrorName, HubError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { HttpEnv } from '../response/env.ts'
import { responseHeaders } from '../response/response-headers.ts'
import { onError } from './respond.ts'

/** A request that never reached the app. */
export interface RefusedRequest {
  /** Its X-Request-Id, as received. */
  requestId?: string | string[] | undefined
  /** Headers that the error requires. */
  headers?: Record<string, string>
}

/** Answers requests that never reach the app, in the shape and with the headers of every other error. */
export interface Refusals {
  response(kind: ErrorName, request?: RefusedRequest): Promise<Response>
  /** Writes the error to a bare socket and closes it. */
  write(socket: Duplex, kind: ErrorName, request?: RefusedRequest): void
}

/**
 * How long a refused client that is still sending may read the error. Closing a socket with unread bytes resets the
 * connection, which discards the error that was written to it (RFC 9112, 9.6).
 */
const LINGER_MS = 500

export function createRefusals(log: Logger): Refusals {
  const app = new Hono<HttpEnv & { Bindings: { error: HubError } }>()
  app.use(responseHeaders)
  app.onError(onError(log))
  app.all('*', (c) => {
    throw c.env.error
  })

  async function response(kind: ErrorName, { requestId, headers = {} }: RefusedRequest = {}) {
    const id = typeof requestId === 'string' ? { 'X-Request-Id': requestId } : {}
    const answer = await app.request('/', { headers: id }, { error: new HubError(kind) })
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    log.info(
      { requestId: answer.headers.get('X-Request-Id'), error: kind, status: answer.status },
      'refused before it was a request',
    )
    return answer
  }

  return {
    response,
    write(socket, kind, request) {
      socket.on('error', () => socket.destroy())
      socket.resume()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      response(kind, request)
        .then(async (answer) => socket.end(await serialized(answer)))
        .catch((error: unknown) => {
          log.error({ err: error }, 'a refusal could not be written')
          socket.destroy()
        })
    },
  }
}

async function serialized(answer: Response): Promise<Buffer> {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = [...answer.headers, ['content-length', String(body.length)], ['connection', 'close']]
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    `date: ${new Date().toUTCString()}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** The requests of one connection. */
interface Connection {
  newest: IncomingMessage
  /** The responses that are not yet written, in order. */
  responses: ServerResponse[]
}

/**
 * Answers what Node cannot parse as HTTP, and what arrives too slowly:
 *  1. a broken connection is closed without an answer,
 *  2. earlier requests of the connection are answered first, so that no client takes the error for their answer,
 *  3. a request that is already answered gets no second answer when its body turns out to be broken,
 *  4. every other one gets the error, and the connection is closed.
 */
export function answerClientErrors(server: Server, refusals: Refusals) {
  const connections = new WeakMap<Duplex, Connection>()
  const refused = new WeakSet<Duplex>()

  server.on('request', (request, response) => {
    const connection = connections.get(request.socket)
    if (!connection) {
      connections.set(request.socket, { newest: request, responses: [response] })
      return
    }
    // Closed responses are dropped here: a `close` listener on each response costs more than this whole function.
    while (connection.responses[0]?.closed) connection.responses.shift()
    connection.newest = request
    connection.responses.push(response)
  })

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const kind = kindOf(error.code)
    // The bytes that follow an unreadable message raise the same error again.
    if (kind !== undefined && refused.has(socket)) return
    if (kind === undefined || !socket.writable) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const { newest, responses } = connections.get(socket) ?? { responses: [] }
    const broken = newest?.complete === false ? responses.at(-1) : undefined
    const earlier = responses.filter((response) => response !== broken && !response.closed)
    whenAllClosed(earlier, () => {
      if (broken?.headersSent) socket.destroy()
      else refusals.write(socket, kind)
    })
  })
}

function whenAllClosed(responses: ServerResponse[], act: () => void) {
  let open = responses.length
  if (open === 0) act()
  for (const response of responses)
    response.once('close', () => {
      open -= 1
      if (open === 0) act()
    })
}

/** Undefined when the connection ended without a message that can be answered. */
function kindOf(code: string | undefined): ErrorName | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'PAYLOAD_TOO_LARGE'
  return code?.startsWith('HPE_') ? 'MALFORMED_HTTP' : undefined
}
