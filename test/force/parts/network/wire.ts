import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { BreakablePart } from './part.ts'

/**
 * A network between clients and a server, which a scenario breaks. A new connection in its silence gets no answer. What was
 * sent or closed meanwhile arrives afterwards.
 */
export interface Wire extends BreakablePart {
  host: string
  port: number
  /** Forgets the connections that stand, as a router does that was restarted: both ends keep an end that hears nothing. */
  forget(): void
  close(): void
}

interface Line {
  client: Socket
  /** Undefined for a connection that began in silence. */
  server: Socket | undefined
  isForgotten: boolean
}

/** Opens a wire to a server of this machine. */
export async function openWire(target: { host: string; port: number }): Promise<Wire> {
  const lines = new Set<Line>()
  let isSilent = false

  const forwards = (line: Line) => !isSilent && !line.isForgotten

  /** Unpiped and paused sockets are not read, so that nobody notices their end. */
  function hold({ client, server }: Line) {
    client.unpipe().pause()
    server?.unpipe().pause()
  }

  function carry(line: Line) {
    line.server ??= open(line)
    line.client.pipe(line.server)
    line.server.pipe(line.client)
  }

  function open(line: Line): Socket {
    return watched(connect({ ...target, noDelay: true }), line)
  }

  function watched(socket: Socket, line: Line): Socket {
    return socket
      .on('error', () => undefined)
      .on('close', () => {
        if (forwards(line)) drop(line)
      })
  }

  function drop(line: Line) {
    lines.delete(line)
    line.client.destroy()
    line.server?.destroy()
  }

  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    const line: Line = { client, server: undefined, isForgotten: false }
    lines.add(line)
    watched(client, line)
    if (!isSilent) carry(line)
  }).listen(0, target.host)
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  return {
    ...{ host: target.host, port: address.port },
    silence() {
      isSilent = true
      for (const line of lines) hold(line)
    },
    mend() {
      isSilent = false
      for (const line of [...lines].filter(forwards)) {
        // A socket that failed meanwhile has said so already.
        if (line.client.destroyed || line.server?.destroyed) drop(line)
        else carry(line)
      }
    },
    forget() {
      for (const line of lines) {
        line.isForgotten = true
        hold(line)
      }
    },
    close() {
      listener.close()
      for (const line of lines) drop(line)
    },
  }
}
