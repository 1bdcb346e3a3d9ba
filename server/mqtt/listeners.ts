import { readFileSync } from 'node:fs'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { OperatorError } from '../platform/errors.ts'
import type { Broker } from './aedes.ts'
import { MAX_PACKET_BYTES } from './packet-guard.ts'

/** MQTT 3.1.1, 6: the WebSocket subprotocol. */
const SUBPROTOCOL = 'mqtt'
/** As long as a CONNECT may take after it. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** MQTT over TCP (sb/1 1.1). */
export function createMqttServer(broker: Broker): Server {
  const server = createServer({ noDelay: true }, (socket) => {
    if (!socket.destroyed) broker.serve(socket, addressOf(socket))
  })
  return turnAway(server, broker)
}

/** MQTT over TLS. */
export function createMqttTlsServer(broker: Broker, files: { certFile: string; keyFile: string }): Server {
  try {
    const cert = readFileSync(files.certFile)
    const key = readFileSync(files.keyFile)
    const server = createTlsServer(
      { cert, key, minVersion: 'TLSv1.2', noDelay: true, handshakeTimeout: HANDSHAKE_TIMEOUT_MS },
      (socket) => broker.serve(socket, addressOf(socket)),
    )
    return turnAway(server, broker)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `TLS can't be set up (${why}): HUB_TLS_CERT and HUB_TLS_KEY must name a PEM pair.`,
    )
  }
}

/** Closes the connections that the broker does not admit, before a handshake. */
function turnAway(server: Server, broker: Broker): Server {
  return server.prependListener('connection', (socket: Socket) => {
    if (!broker.admits(addressOf(socket))) socket.destroy()
  })
}

/** Empty when the peer has already disconnected. */
function addressOf(socket: { remoteAddress?: string | undefined }): string {
  return socket.remoteAddress ?? ''
}

/** MQTT over WebSocket, on the HTTP server's port and at the path that it upgrades. */
export function serveMqttOverWebSocket(
  http: HttpServer,
  broker: Pick<Broker, 'admits' | 'serve'>,
  refuse: (socket: Duplex, requestId: string | string[] | undefined) => void,
) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PACKET_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  const refuseHandshake = (socket: Duplex, { headers }: IncomingMessage) =>
    refuse(socket, headers['x-request-id'])
  sockets.on('wsClientError', (_, socket, request) => refuseHandshake(socket, request))
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Nobody else listens for errors yet: a connection that is reset must not end the process.
    socket.on('error', () => socket.destroy())
    const offered = request.headers['sec-websocket-protocol']?.split(/, */)
    if (!offered?.includes(SUBPROTOCOL)) return refuseHandshake(socket, request)
    if (!broker.admits(addressOf(request.socket))) return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      broker.serve(createWebSocketStream(webSocket), addressOf(request.socket))
    })
  })
}
