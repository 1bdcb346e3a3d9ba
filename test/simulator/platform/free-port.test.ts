import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../simulator/platform/free-port.ts'

it('a port can be listened at, is none that a kernel gives away, and is claimed in every process', async () => {
  const port = await freePort()
  expect(port).toBeLessThan(32_768)
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const other = createSocket('udp4')
  onTestFinished(() => void other.close())
  await expect(once(other.bind(port, '127.0.0.1'), 'listening')).rejects.toThrow('EADDRINUSE')
})
