import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that was free a moment ago, for a program that can't choose one by itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}
