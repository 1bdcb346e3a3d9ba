import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Listens on a free port of loopback. Resolves with the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port
}
