import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { type SecureContextOptions, TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'

/** A listener in front of a hub that can stop answering, in the ways in which a network does. */
export interface FrontDoor {
  port: number
  /** Cuts every connection. The kernel leaves new SYNs unanswered: the queue of the socket is full. */
  dropSyns(): Promise<void>
  /** Cuts every connection. New ones are accepted, and nothing is ever sent on them. */
  fallSilent(): void
}

/** The places that a listening socket with a backlog of 1 has for connections that nobody accepts. */
const PLACES = 2

export async function openFrontDoor(hubUrl: string, tls?: SecureContextOptions): Promise<FrontDoor> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    return socket
  }
  const server = createServer((socket) => {
    keep(socket)
    if (isSilent) return
    const inside = keep(connect(Number(new URL(hubUrl).port), '127.0.0.1'))
    const outside = tls ? keep(new TLSSocket(socket, { isServer: true, ...tls })) : socket
    outside.pipe(inside).pipe(outside)
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 })
  await once(server, 'listening')
  onTestFinished(() => {
    cut()
    server.close()
  })
  const port = Object(server.address()).port
  return {
    port,
    async dropSyns() {
      // A process that does nothing keeps the socket open, so the kernel goes on listening and nobody accepts.
      const { fd } = Object(server)._handle
      const sleeper = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
      onTestFinished(() => void sleeper.kill('SIGKILL'))
      await once(sleeper, 'spawn')
      server.close()
      const fillers = Array.from({ length: PLACES }, () => connect(port, '127.0.0.1'))
      onTestFinished(() => {
        for (const filler of fillers) filler.destroy()
      })
      await Promise.all(fillers.map((filler) => once(filler, 'connect')))
      cut()
    },
    fallSilent() {
      isSilent = true
      cut()
    },
  }
}

/** Whether a socket on this machine waits for the answer to its SYN to this port. */
export function isSynUnanswered(port: number): boolean {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .some((line) => line.trim().split(/\s+/).slice(2, 4).join(' ') === `${remote} 02`)
}
