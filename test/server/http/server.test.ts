import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startTestHub } from '../../support/hub.ts'

/** Sends bytes as they are; resolves with all that comes back until the connection closes. */
async function raw(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

it('takes headers of up to 8 KiB and refuses more', async () => {
  const hub = await startTestHub()
  const get = (bytes: number) =>
    raw(
      hub.http,
      `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Filler: ${'x'.repeat(bytes)}\r\n\r\n`,
    )
  expect(await get(7_000)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await get(9_000)).toMatch(/^HTTP\/1\.1 431 /)
})

it.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['two lengths', 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'a length and chunks at once',
    'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
])('refuses %s with 400 and goes on', async (_, bytes) => {
  const hub = await startTestHub()
  expect(await raw(hub.http, bytes)).toMatch(/^HTTP\/1\.1 400 /)
  expect((await fetch(`${hub.http}/healthz`)).status).toBe(200)
})

it('refuses a body that is larger than it says, and one that never says', async () => {
  const hub = await startTestHub()
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
  const head =
    'POST /api/v1/partner/auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n'
  expect(await raw(hub.http, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 413 /,
  )
  expect(await raw(hub.http, `${head}Content-Length: 100000\r\n\r\n${'x'.repeat(100)}`)).toMatch(
    /^HTTP\/1\.1 413 /,
  )
})
