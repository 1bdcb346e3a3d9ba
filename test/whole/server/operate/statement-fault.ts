import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from '../../../../server/platform/listen.ts'

/** Where a connection is cut: before the statement reaches the server, or when the server has answered it. */
export interface Fault {
  /** The name of the statement, as the driver sends it. */
  statement: string
  when: 'unsent' | 'answered'
  /** The statement that has passed before. */
  behind?: string
}

/**
 * A way to a PostgreSQL server that is cut at a statement: the server never sees it, or its answer is lost. `act` is called
 * at the cut, and nothing passes from then on.
 */
export async function openFaultyWay(database: string, fault: Fault, act: () => void) {
  const [to, url] = [new URL(database), new URL(database)]
  const sockets = new Set<Socket>()
  let isBehind = fault.behind === undefined
  let isCut = false
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname)
    const [names, comesBefore] = [finder(fault.statement), finder(fault.behind ?? '')]
    let isAsked = false
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay().on('error', () => undefined))
    client.on('data', (chunk: Buffer) => {
      if (isCut) return
      if (names(chunk) && isBehind) isAsked = true
      if (comesBefore(chunk)) isBehind = true
      if (isAsked && fault.when === 'unsent') return cut()
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (isCut) return
      if (isAsked) return cut()
      client.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  onTestFinished(close)
  url.port = String(await listen(server, '127.0.0.1', 0, 'port'))
  return { url: url.href, isCut: () => isCut, close }

  function cut() {
    isCut = true
    act()
  }

  /** Closes both ends of all connections. */
  function close() {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

/** Whether the bytes of a connection name a prepared statement, each time in the chunk that ends the name. */
function finder(statement: string) {
  // The protocol ends a name by NUL.
  const name = Buffer.from(`${statement}\0`)
  /** The end of what has come, in which a name may begin. */
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    const text = Buffer.concat([rest, chunk])
    rest = text.subarray(Math.max(0, text.length - name.length + 1))
    return text.includes(name)
  }
}
