import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Lets a server listen on loopback until the test ends. Resolves with its host and port. */
export async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    if (server instanceof HttpServer) server.closeAllConnections()
  })
  return `127.0.0.1:${Object(server.address()).port}`
}
