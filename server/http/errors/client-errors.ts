import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorName } from '../../platform/errors.ts'
import type { Refusals } from './before-http.ts'

/** What is under way on a connection. */
interface Connection {
  /** The newest request. */
  last: IncomingMessage
  /** Its answer, and before it, in order, those to earlier requests that are not written yet. */
  answers: ServerResponse[]
}

/**
 * Answers what Node can't read as HTTP, or what came too slowly:
 *  1. a connection that is broken is given up,
 *  2. requests before it on the same connection get their answers first, so that none is taken for another's,
 *  3. a request that has its answer, and whose body turns out to be broken, gets no second one,
 *  4. everything else is told why, and the connection is closed.
 */
export function answerClientErrors(server: Server, refusals: Refusals) {
  const connections = new WeakMap<Duplex, Connection>()
  const refused = new WeakSet<Duplex>()

  server.on('request', (request, response) => {
    const connection = connections.get(request.socket)
    if (!connection) {
      connections.set(request.socket, { last: request, answers: [response] })
      return
    }
    // They are looked at here because to listen to the end of each costs more than all else that is done for it.
    while (connection.answers[0]?.closed) connection.answers.shift()
    connection.last = request
    connection.answers.push(response)
  })

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const kind = kindOf(error.code)
    // What still comes of a message that can't be read is the same error again.
    if (kind !== undefined && refused.has(socket)) return
    if (kind === undefined || !socket.writable) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const { last, answers } = connections.get(socket) ?? { answers: [] }
    const broken = last?.complete === false ? answers.at(-1) : undefined
    const earlier = answers.filter((response) => response !== broken && !response.closed)
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

/** Undefined for what is no message of the client but the end of the connection. */
function kindOf(code: string | undefined): ErrorName | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'PAYLOAD_TOO_LARGE'
  return code?.startsWith('HPE_') ? 'MALFORMED_HTTP' : undefined
}
