import type { AddressInfo, Server } from 'node:net'
import { OperatorError } from './errors.ts'

/**
 * Listens on a port, or on any free port if `port` is 0. Returns the port. Throws an OperatorError if it can't listen.
 */
export function listen(server: Server, host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port, setting)))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      const address = server.address()
      if (isAddressInfo(address)) resolve(address.port)
      else reject(new Error('a listening server has an address'))
    })
  })
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

function explain(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is in use: stop the program that uses it, or set ${setting} (0 takes a free port).`,
      )
    case 'EACCES':
      return new OperatorError(`This user may not open port ${port}: set ${setting} to a port above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`This machine does not have the address ${host}: set HUB_HOST.`)
    default:
      return error
  }
}
