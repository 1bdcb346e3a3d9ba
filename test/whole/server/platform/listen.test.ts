import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../server/platform/listen.ts'

/** More than the 511 that Node.js lets wait. */
const CONNECTIONS = 2_000
/** A connection beyond the backlog is never made while the listener is busy. A slow machine does not reach it. */
const HANGS_MS = 60_000
/** Connects them all, and ends when they stand. */
const CLIENT = `
const [port, count] = process.argv.slice(1).map(Number)
let open = 0
for (let number = 0; number < count; number += 1)
  require('node:net').connect(port, '127.0.0.1', () => (open += 1) === count && process.exit(0))
`

const SOMAXCONN = '/proc/sys/net/core/somaxconn'
const mayWait = process.platform === 'linux' ? Number(readFileSync(SOMAXCONN, 'utf8')) : 0

it.skipIf(mayWait < CONNECTIONS)('connections wait for a hub that is busy, and none is dropped', async () => {
  const server = createServer((socket) => void socket.destroy())
  onTestFinished(() => void server.close())
  const port = await listen(server, '127.0.0.1', 0, 'HUB_HTTP_PORT')
  // This process takes no connection before the client has ended.
  const args = ['-e', CLIENT, String(port), String(CONNECTIONS)]
  const { status, signal } = spawnSync(process.execPath, args, { timeout: HANGS_MS })
  expect({ status, signal }).toEqual({ status: 0, signal: null })
})
