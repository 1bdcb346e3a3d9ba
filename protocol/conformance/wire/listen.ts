import { createServer } from 'node:net'
import type { Duplex } from 'node:stream'

/** Accepts connections of the device; resolves when it does. */
export type Listen = (serve: (line: Duplex) => void) => Promise<{ port: number; close(): void }>

/** Listens for TCP connections. Port 0 takes a free one. */
export function listenOn(host: string, port: number): Listen {
  return (serve) =>
    new Promise((resolve, reject) => {
      // Without Nagle's algorithm, what is written in pieces travels in pieces.
      const server = createServer({ noDelay: true }, serve)
      server.once('error', reject)
      server.listen(port, host, () => {
        const address = server.address()
        const bound = typeof address === 'object' && address ? address.port : port
        resolve({ port: bound, close: () => void server.close() })
      })
    })
}
