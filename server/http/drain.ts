import type { Server } from 'node:http'

/**
 * Follows the requests under way on a server; the returned function takes no new ones, waits for those to
 * finish, and cuts what has not finished within `withinMs`.
 *
 * Why: the server's own `close` also waits for WebSocket connections, which devices keep open for ever; the
 * broker closes those. Held by test/server/mqtt/carriers.test.ts.
 */
export function createDrain(server: Server): (withinMs: number) => Promise<void> {
  let underWay = 0
  let onIdle: () => void = () => undefined
  const end = () => {
    underWay -= 1
    if (underWay === 0) onIdle()
  }
  server.on('request', (_request, response) => {
    underWay += 1
    // It closes once; `once` would make two functions for each request.
    response.on('close', end)
  })

  return async (withinMs) => {
    server.close()
    server.closeIdleConnections()
    if (underWay > 0)
      await new Promise<void>((resolve) => {
        const cut = setTimeout(resolve, withinMs)
        onIdle = () => {
          clearTimeout(cut)
          resolve()
        }
      })
    server.closeAllConnections()
  }
}
