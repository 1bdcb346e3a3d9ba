import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Kernels give the ports from here on to whoever asks for any: Linux from 32768, others from 49152. */
const FIRST_OF_KERNEL = 32_768
const FIRST = 20_000
const MOST_TRIES = 1_000

/**
 * A TCP port of 127.0.0.1, for a program that can't choose one by itself or that comes back on the same one. Until this
 * process ends, no other caller gets it, in any process: the UDP port of the same number says that it is taken.
 */
export async function freePort(): Promise<number> {
  let cause: unknown
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(FIRST, FIRST_OF_KERNEL)
    const claim = createSocket('udp4')
    const server = createServer()
    try {
      await once(claim.bind(port, '127.0.0.1'), 'listening')
      await once(server.listen(port, '127.0.0.1'), 'listening')
      await once(server.close(), 'close')
      claim.unref()
      return port
    } catch (error) {
      cause = error
      claim.close()
    }
  }
  throw new Error(`This machine has no free port from ${FIRST} to ${FIRST_OF_KERNEL - 1}.`, { cause })
}
