import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connections } from './connections/connections.ts'

/**
 * Accepts nothing new, waits until the requests that were read are answered, and closes all connections after `withinMs`
 * at the latest.
 *
 * Why: the server's own `close` also waits for WebSocket connections, which devices keep open for ever; the broker
 * closes those. Held by test/server/mqtt/carriers.test.ts.
 */
export async function drain(server: Server, connections: Pick<Connections, 'finish'>, withinMs: number) {
  // Also closes the idle connections.
  server.close()
  await Promise.race([connections.finish(), pause(withinMs, undefined, { ref: false })])
  server.closeAllConnections()
}
