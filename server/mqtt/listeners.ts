import { readFileSync } from 'node:fs'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import { type InNetworks, NO_PROXY, type TrustsProxy } from '../platform/net/address.ts'
import { type Broker, CONNECT_TIMEOUT_MS, type Door, type Visitor } from './aedes.ts'
import { MAX_PACKET_BYTES } from './packet-guard.ts'
import { foreignOrigin } from './page-origin.ts'
import { readProxyHeader } from './proxy-header.ts'

/** MQTT 3.1.1, 6: the WebSocket subprotocol. */
const SUBPROTOCOL = 'mqtt'
/** Characters of a foreign origin that the log shows. */
const LONGEST_ORIGIN = 100

export interface ListenerDeps {
  broker: Broker
  clock: Clock
  /** Peers that may name the address of their client by the PROXY protocol. */
  trustsProxy?: TrustsProxy
  /** Who is expected. Speakers of sb/1 when left out. */
  door?: Door
  /** The networks from which a connection may come. All when left out. */
  mayCome?: InNetworks | undefined
}

/** MQTT over TCP (sb/1 1.1). */
export function createMqttServer(deps: ListenerDeps): Server {
  return createVisitorServer(deps, (socket, visitor) => deps.broker.serve(socket, visitor, deps.door))
}

/** MQTT over TLS. The header of a proxy comes before the handshake. */
export function createMqttTlsServer(
  deps: ListenerDeps,
  files: { certFile: string; keyFile: string },
): Server {
  const secureContext = readCertificate(files)
  return createVisitorServer(deps, (socket, visitor) =>
    deps.broker.serve(new TLSSocket(socket, { isServer: true, secureContext }), visitor, deps.door),
  )
}

function readCertificate({ certFile, keyFile }: { certFile: string; keyFile: string }): SecureContext {
  try {
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)]
    return createSecureContext({ cert, key, minVersion: 'TLSv1.2', sessionIdContext: SUBPROTOCOL })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `TLS can't be set up (${why}): HUB_TLS_CERT and HUB_TLS_KEY must name a PEM pair.`,
    )
  }
}

/** Lets connections in by their address, which a trusted proxy may name, before any other work on them. */
function createVisitorServer(
  { broker, clock, trustsProxy = NO_PROXY, mayCome }: ListenerDeps,
  serve: (socket: Socket, visitor: Visitor) => void,
): Server {
  return createServer({ noDelay: true }, (socket) => {
    const peer = addressOf(socket)
    const enter = (address: string) => {
      if (mayCome && !mayCome(address)) {
        broker.refused(address, 'network', 'HUB_BOX_FROM does not name its network')
        return void socket.destroy()
      }
      const visitor = broker.admit(socket, address)
      if (visitor) serve(socket, visitor)
    }
    // It has already gone, as the health checks of some proxies do: nobody is there to be judged.
    if (peer === '') return void socket.destroy()
    if (!trustsProxy(peer)) return enter(peer)
    const hasClient = broker.awaitClient(socket, peer)
    const onRefused = (why: string) => broker.refused(peer, 'proxy_header', why)
    readProxyHeader(socket, { clock, timeoutMs: CONNECT_TIMEOUT_MS, onRefused }, (source) => {
      hasClient()
      enter(source ?? peer)
    })
  })
}

/** Empty when the peer has already disconnected. */
function addressOf(socket: { remoteAddress?: string | undefined }): string {
  return socket.remoteAddress ?? ''
}

export interface WebSocketDeps {
  broker: Pick<Broker, 'admit' | 'serve' | 'refused'>
  /** Answers a request that is no handshake for MQTT. */
  refuse(socket: Duplex, requestId: string | string[] | undefined): void
  /** The address of a request, by the same rule as for every other one. */
  addressOf?: (request: IncomingMessage) => string
  /** Origins of pages that may connect besides the hub's own, as `readOrigin` writes them. */
  origins?: readonly string[]
}

/** MQTT over WebSocket, on the HTTP server's port and at the path that it upgrades. */
export function serveMqttOverWebSocket(http: HttpServer, deps: WebSocketDeps) {
  const { broker, refuse, origins = [] } = deps
  const { addressOf: addressOfRequest = ({ socket }) => addressOf(socket) } = deps
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
    const address = addressOfRequest(request)
    const foreign = foreignOrigin(request, origins)
    if (foreign !== undefined) {
      const page = foreign.slice(0, LONGEST_ORIGIN)
      broker.refused(address, 'origin', `a page of ${page}: HUB_MQTT_ORIGINS does not name it`)
      return refuseHandshake(socket, request)
    }
    const visitor = broker.admit(socket, address)
    if (!visitor) return
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      broker.serve(createWebSocketStream(webSocket), visitor)
    })
  })
}
