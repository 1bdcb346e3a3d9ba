import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestApi } from '../../../support/api.ts'
import { answersIn, serveHttp } from '../../../support/http/raw-http.ts'

const BODY = '{"deviceSerial":"SB-0001"}'
const WHOLE = [
  'POST /api/v1/partner/device/send-verification HTTP/1.1\r\nHost: hub\r\n',
  'Content-Type: application/json\r\nIdempotency-Key: key\r\nx-client-id: sbc_1\r\n',
]
const MESSAGES = [
  `${WHOLE.join('')}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  `${WHOLE.join('')}Transfer-Encoding: chunked\r\n\r\n1a;x=y\r\n${BODY}\r\n0\r\nX: y\r\n\r\n`,
  'GET /api/v1/partner/device/SB-0001?a=b HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer x\r\n\r\n',
  'GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
]

const piece = fc.oneof(
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom('\r\n', '\n', '\0', ' ', ':', '\t', '%', '?', '\\', '//', '..', '0', 'ffffffffffffffff'),
  fc.constantFrom('Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Host: other\r\n', 'HTTP/2.0'),
  fc.constantFrom(...MESSAGES),
)
/** A sequence of well-formed messages with some bytes overwritten. */
const bytes = fc
  .tuple(
    fc.array(fc.constantFrom(...MESSAGES), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(6), piece), { maxLength: 3 }),
  )
  .map(([messages, changes]) =>
    changes.reduce((text, [where, length, put]) => {
      const from = Math.floor(where * text.length)
      return text.slice(0, from) + put + text.slice(from + length)
    }, messages.join('')),
  )

it("answers any bytes in the hub's shape with a status below 500, and keeps running", async () => {
  const api = createTestApi()
  const { server, open } = await serveHttp(api)
  server.on('upgrade', (_request, socket) => socket.destroy())
  await fc.assert(
    fc.asyncProperty(bytes, async (text) => {
      const connection = open()
      connection.send(text)
      connection.socket.end()
      for (const { status, headers, body } of answersIn(await connection.closed)) {
        expect(status).toBeLessThan(500)
        if (status < 200) continue
        expect(headers.get('x-request-id')).toMatch(/^[\w=-]{1,128}$/)
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        if (status >= 400 && body !== '')
          expect(JSON.parse(body)).toMatchObject({ requestId: headers.get('x-request-id') })
      }
    }),
    { numRuns: 300 },
  )
  expect(api.log.join('')).not.toContain('request failed')
  expect((await api.request('GET', '/healthz')).status).toBe(200)
})
