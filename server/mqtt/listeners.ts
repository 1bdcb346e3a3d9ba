import { readFileSync } from 'node:fs'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { OperatorError } from '../errors.ts'
import type { Broker } from './broker.ts'
import { MAX_PACKET_BYTES } from './packet-guard.ts'

/** MQTT 3.1.1, 6: the WebSocket subprotocol. */
const SUBPROTOCOL = 'mqtt'

/** MQTT over TCP (sb/1 1.1). */
export function createMqttServer(broker: Broker): Server {
  return createServer({ noDelay: true }, (socket) => broker.serve(socket, addressOf(socket)))
}

/** MQTT over TLS. */
export function createMqttTlsServer(broker: Broker, files: { certFile: string; keyFile: string }): Server {
  try {
    const cert = readFileSync(files.certFile)
    const key = readFileSync(files.keyFile)
    return createTlsServer({ cert, key, minVersion: 'TLSv1.2', noDelay: true }, (socket) =>
      broker.serve(socket, addressOf(socket)),
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `TLS can't be set up (${why}): HUB_TLS_CERT and HUB_TLS_KEY must name a PEM pair.`,
    )
  }
}

/** Empty when the peer has gone already. */
function addressOf(socket: { remoteAddress?: string | undefined }): string {
  return socket.remoteAddress ?? ''
}

/** MQTT over WebSocket, on the HTTP server's own port and at the path that it upgrades. */
export function serveMqttOverWebSocket(http: HttpServer, broker: Broker) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PACKET_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Nobody else listens at this stage: a connection that is reset must not end the process.
    socket.on('error', () => socket.destroy())
    if (!request.headers['sec-websocket-protocol']?.split(/, */).includes(SUBPROTOCOL)) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n', () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      broker.serve(createWebSocketStream(webSocket), addressOf(request.socket))
    })
  })
}
