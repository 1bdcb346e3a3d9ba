import type { Argument } from './at.ts'
import {
  type Core,
  DEFAULT_SSL,
  ERROR,
  type Handler,
  OK,
  type Outcome,
  type SslContext,
  shows,
  socketKey,
  write,
} from './module.ts'
import type { Endpoint } from './network.ts'
import { ModemSocket, RESULT, type SocketKind } from './sockets.ts'

/** Of the TCP/IP and SSL manuals. */
const MOST_SENT = 1_460
const MOST_READ = 1_500
const LAST_ID = 11
const LAST_SSL_CONTEXT = 5
const CLOSE_MS = 20

const isId = (id: Argument): id is number => typeof id === 'number' && id <= LAST_ID
const isPort = (port: Argument): port is number => typeof port === 'number' && port > 0 && port < 65_536

function open(core: Core, kind: SocketKind, id: number, to: Endpoint): Outcome {
  const { state } = core
  if (state.context !== 'active') {
    state.lastError = RESULT.pdpNotOpen
    return ERROR
  }
  const told = (result: number) => {
    state.lastError = result
    core.urc(`+${kind}OPEN: ${id},${result}`)
  }
  const key = socketKey(kind, id)
  if (state.sockets.has(key)) return { ...OK, afterwards: () => told(RESULT.idInUse) }
  const afterwards = () => {
    // Anything may have come between the command and its answer.
    if (core.state !== state) return
    const socket = new ModemSocket(core.radio, to, {
      opened: told,
      received: () => {
        if (!core.faults.unannounced) core.urc(`+${kind === 'QI' ? 'QIURC' : 'QSSLURC'}: "recv",${id}`)
      },
      closed: () => core.urc(`+${kind === 'QI' ? 'QIURC' : 'QSSLURC'}: "closed",${id}`),
    })
    state.sockets.set(key, socket)
  }
  return { ...OK, afterwards }
}

function send(kind: SocketKind): Handler {
  return write((core, [id, bytes, ...rest]) => {
    const socket = isId(id) ? core.state.sockets.get(socketKey(kind, id)) : undefined
    if (!socket || typeof bytes !== 'number' || bytes > MOST_SENT || rest.length > 0) return ERROR
    if (bytes === 0) {
      if (kind === 'QSSL') return ERROR
      const { sent, unacknowledged } = socket
      return shows(`+QISEND: ${sent},${sent - unacknowledged},${unacknowledged}`)
    }
    if (socket.state !== 'open') return ERROR
    return {
      ...{ kind: 'prompt', bytes },
      take: (given) => {
        if (socket.state !== 'open') return 'ERROR'
        return socket.send(given) ? 'SEND OK' : 'SEND FAIL'
      },
    }
  })
}

function read(kind: SocketKind, name: string): Handler {
  return write((core, [id, most = MOST_READ, ...rest]) => {
    const socket = isId(id) ? core.state.sockets.get(socketKey(kind, id)) : undefined
    if (!socket || socket.state === 'opening' || rest.length > 0) return ERROR
    if (typeof most !== 'number' || most > MOST_READ) return ERROR
    if (most === 0) {
      const { received, unread } = socket
      return kind === 'QI' ? shows(`+QIRD: ${received},${received - unread},${unread}`) : ERROR
    }
    const bytes = socket.read(most)
    const head = `+${name}: ${bytes.length}`
    return bytes.length === 0 ? shows(head) : shows(head, bytes)
  })
}

function close(kind: SocketKind): Handler {
  return write((core, [id, ...rest]) => {
    if (!isId(id) || rest.length > 1) return ERROR
    const key = socketKey(kind, id)
    core.state.sockets.get(key)?.close()
    core.state.sockets.delete(key)
    return { ...OK, takesMs: CLOSE_MS }
  })
}

const SSL_SETTINGS: Readonly<Record<string, (value: Argument) => Partial<SslContext> | undefined>> = {
  // TLS 1.2 and "all": what is older is broken.
  sslversion: (value) => (value === 3 || value === 4 ? {} : undefined),
  seclevel: (value) => within(1, value, (securityLevel) => ({ securityLevel })),
  cacert: (value) => (typeof value === 'string' ? { caFile: value } : undefined),
  sni: (value) => within(1, value, (given) => ({ sni: given === 1 })),
  checkhost: (value) => within(1, value, (given) => ({ checkHost: given === 1 })),
  // A module without the time can't look at the dates of a certificate.
  ignorelocaltime: (value) => within(1, value, () => ({})),
  ciphersuite: (value) => (value === undefined ? undefined : {}),
}

function within<T>(most: number, value: Argument, make: (value: number) => T): T | undefined {
  return typeof value === 'number' && value <= most ? make(value) : undefined
}

function configureSsl({ state }: Core, [name, context, value]: readonly Argument[]): Outcome {
  if (typeof context !== 'number' || context > LAST_SSL_CONTEXT) return ERROR
  const change = SSL_SETTINGS[`${name}`.toLowerCase()]?.(value)
  if (!change) return ERROR
  state.ssl.set(context, { ...(state.ssl.get(context) ?? DEFAULT_SSL), ...change })
  return OK
}

/** Commands about connections, TCP and TLS. The access mode is 0: the host reads the module's buffer. */
export const SOCKET_COMMANDS: Readonly<Record<string, Handler>> = {
  '+QIOPEN': write((core, [context, id, type, host, port, localPort = 0, mode = 0, ...rest]) => {
    const isKnown = context === 1 && type === 'TCP' && localPort === 0 && mode === 0 && rest.length === 0
    if (!isKnown || !isId(id) || !isPort(port) || typeof host !== 'string' || host === '') return ERROR
    return open(core, 'QI', id, { host, port })
  }),
  '+QISEND': send('QI'),
  '+QIRD': read('QI', 'QIRD'),
  '+QICLOSE': close('QI'),
  '+QISTATE': ({ state }, command) => {
    if (command.form === 'test') return ERROR
    const numbers = { opening: 1, open: 2, closed: 4 }
    return shows(
      ...[...state.sockets]
        .filter(([key]) => key.startsWith('QI'))
        .map(
          ([key, { host, port, state }]) =>
            `+QISTATE: ${key.slice(2)},"TCP","${host}",${port},0,${numbers[state]},1,0,0,"uart1"`,
        ),
    )
  },
  '+QSSLCFG': write(configureSsl),
  '+QSSLOPEN': write((core, [context, sslContext, id, host, port, mode = 0, ...rest]) => {
    if (context !== 1 || typeof sslContext !== 'number' || mode !== 0 || rest.length > 0) return ERROR
    if (!isId(id) || !isPort(port) || typeof host !== 'string' || host === '') return ERROR
    const { securityLevel, caFile, sni, checkHost } = core.state.ssl.get(sslContext) ?? DEFAULT_SSL
    const ca = securityLevel > 0 ? core.file(caFile ?? '') : undefined
    // There is nothing to verify with.
    if (securityLevel > 0 && !ca) return ERROR
    return open(core, 'QSSL', id, { host, port, tls: { ca, sni, checkHost: checkHost && securityLevel > 0 } })
  }),
  '+QSSLSEND': send('QSSL'),
  '+QSSLRECV': read('QSSL', 'QSSLRECV'),
  '+QSSLCLOSE': close('QSSL'),
}
