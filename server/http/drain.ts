import type { Server } from 'node:http'

/**
 * Tracks the open requests of a server. The returned function accepts no new ones, waits until the open ones have
 * finished, and closes all connections after `withinMs` at the latest.
 *
 * Why: the server's own `close` also waits for WebSocket connections, which devices keep open for ever; the broker
 * closes those. Held by test/server/mqtt/carriers.test.ts.
 */
export function createDrain(server: Server): (withinMs: number) => Promise<void> {
  let open = 0
  let onIdle: () => void = () => undefined
  const end = () => {
    open -= 1
    if (open === 0) onIdle()
  }
  server.on('request', (_request, response) => {
    open += 1
    response.on('close', end)
  })

  return async function drain(withinMs) {
    server.close()
    server.closeIdleConnections()
    if (open > 0)
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, withinMs)
        onIdle = () => {
          clearTimeout(timeout)
          resolve()
        }
      })
    server.closeAllConnections()
  }
}
