import { once } from 'node:events'
import type { Server } from 'node:net'
import { OperatorError } from './errors.ts'

/**
 * Connections that the kernel keeps until the hub takes them; Linux takes its own limit where it is lower
 * (`net.core.somaxconn`). Beyond it, a client's attempts are dropped without a sign, and it tries again after 1 s, then 3 s.
 * Node.js has 511: strangers that open 2,000 a second fill it while the hub is busy for 250 ms.
 */
const BACKLOG = 4_096

/**
 * Listens on a port, or on any free port if `port` is 0. Returns the port. Throws an OperatorError if it can't listen.
 * `setting` is the name of the port's setting, such as HUB_HTTP_PORT or --port.
 */
export async function listen(server: Server, host: string, port: number, setting: string): Promise<number> {
  try {
    server.listen({ port, host, backlog: BACKLOG })
    await once(server, 'listening')
  } catch (error) {
    const wrongHost = `This machine does not have the address ${host}: set ${setting.replace(/(_TLS)?_PORT$/, '_HOST').replace('--port', '--host')}.`
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use: stop the program that uses it, or set ${setting} (0 takes a free port).`,
      EACCES: `This user may not open port ${port}: set ${setting} to a port above 1023.`,
      EADDRNOTAVAIL: wrongHost,
      ENOTFOUND: wrongHost,
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const sentence = sentences[code]
    throw sentence === undefined ? error : new OperatorError(sentence)
  }
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has an address')
  return address.port
}
