import type { Server } from 'node:http'
import type { Connections } from './connections/connections.ts'

/**
 * Returns a function that accepts nothing new, waits until the requests that were read are answered, and closes all
 * connections after `withinMs` at the latest.
 *
 * Why: the server's own `close` also waits for WebSocket connections, which devices keep open for ever; the broker
 * closes those. Held by test/server/mqtt/carriers.test.ts.
 */
export function createDrain(
  server: Server,
  connections: Pick<Connections, 'finish'>,
): (withinMs: number) => Promise<void> {
  return async function drain(withinMs) {
    // Also closes the idle connections.
    server.close()
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, withinMs)
      void connections.finish().then(() => {
        clearTimeout(timeout)
        resolve()
      })
    })
    server.closeAllConnections()
  }
}
