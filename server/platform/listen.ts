import type { AddressInfo, Server } from 'node:net'
import { OperatorError } from './errors.ts'

/** Listens on a port, 0 for any free one; answers the port. An OperatorError says what stands in the way. */
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
        `Port ${port} is taken on ${host}: stop what uses it, or set ${setting} (0 takes a free one).`,
      )
    case 'EACCES':
      return new OperatorError(`Port ${port} may not be used by this user: set ${setting} to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`The address ${host} is not one of this machine: set HUB_HOST.`)
    default:
      return error
  }
}
