import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { errorCode } from '../../platform/error-text.ts'

/** The network behind the module. */
export interface Network {
  open(to: Endpoint, listener: ConnectionListener): Connection
}

export interface Endpoint {
  host: string
  port: number
  /** Set for TLS in the module. */
  tls?: TlsSettings
}

/** A context of `AT+QSSLCFG`. */
export interface TlsSettings {
  /** The authority's certificate in PEM; undefined: nothing is verified (`seclevel` 0). */
  ca: Uint8Array | undefined
  /** Whether the certificate must be of this host. */
  checkHost: boolean
  /** Whether the ClientHello names the host. */
  sni: boolean
}

/** What a connection tells. After `failed` or `closed` it tells nothing. */
export interface ConnectionListener {
  opened(): void
  failed(why: 'dns' | 'connect'): void
  received(bytes: Uint8Array): void
  closed(): void
}

export interface Connection {
  send(bytes: Uint8Array): void
  /** Sends a FIN. */
  end(): void
  destroy(): void
}

const NO_SUCH_NAME = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']

/** TCP and TLS of this machine. */
export const nodeNetwork: Network = {
  open({ host, port, tls }, listener) {
    const socket = tls ? openTls(host, port, tls) : connect({ host, port })
    let isOpen = false
    let isOver = false
    const over = (tell: () => void) => {
      if (!isOver) tell()
      isOver = true
    }
    socket.setNoDelay(true)
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      isOpen = true
      listener.opened()
    })
    socket.on('data', (bytes: Buffer) => listener.received(bytes))
    socket.on('error', (error) => {
      if (!isOpen)
        over(() => listener.failed(NO_SUCH_NAME.includes(`${errorCode(error)}`) ? 'dns' : 'connect'))
    })
    socket.once('close', () => over(() => (isOpen ? listener.closed() : listener.failed('connect'))))
    return {
      send: (bytes) => void socket.write(bytes),
      end: () => void socket.end(),
      destroy: () => {
        isOver = true
        socket.destroy()
      },
    }
  },
}

/** Modules of this kind know TLS up to 1.2. */
function openTls(host: string, port: number, { ca, checkHost, sni }: TlsSettings): Socket {
  return connectTls({
    ...{ host, port, maxVersion: 'TLSv1.2', rejectUnauthorized: ca !== undefined },
    // An empty name leaves the extension out, which never has an address (RFC 6066, 3).
    servername: sni && isIP(host) === 0 ? host : '',
    ...(ca && { ca: Buffer.from(ca) }),
    // Without the option, Node.js compares the name.
    ...(checkHost ? {} : { checkServerIdentity: () => undefined }),
  })
}
