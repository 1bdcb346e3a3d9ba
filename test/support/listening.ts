import { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './listen.ts'

/** Lets a server listen on loopback until the test ends. Resolves with its host and port. */
export async function listening(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close()
    if (server instanceof HttpServer) server.closeAllConnections()
  })
  return `127.0.0.1:${await listenOnFreePort(server)}`
}
