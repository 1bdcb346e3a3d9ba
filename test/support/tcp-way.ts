import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './listen.ts'

/** A way to a server on which packets may stop. The end of the test closes it. */
export async function wayTo(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isBlocked = false
  const server = createServer((client) => {
    if (isBlocked) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.pipe(upstream).pipe(client)
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const way = new URL(url)
  way.port = String(await listenOnFreePort(server))

  function cut() {
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: way.href,
    /** Without a word to either side. New connections are well. */
    freeze() {
      for (const socket of sockets) socket.unpipe()
    },
    cut,
    /** Cuts it, and each new connection, until it is mended. */
    block() {
      isBlocked = true
      cut()
    },
    mend() {
      isBlocked = false
    },
  }
}
