import { expect, it } from 'vitest'
import { answerIn, openHttp } from '../../support/http/raw-http.ts'
import { startTestHub } from '../../support/hub.ts'

/** Everything that a real hub sends after these bytes until it closes the connection. */
async function said(base: string, bytes: string): Promise<string> {
  const connection = openHttp(Number(new URL(base).port))
  connection.send(bytes)
  return connection.closed
}

const upgrade = (headers: string) =>
  `GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Request-Id: mine-1\r\n${headers}\r\n`
const HANDSHAKE = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'

it.each([
  ['without the protocol mqtt', upgrade(HANDSHAKE)],
  ['with another protocol', upgrade(`${HANDSHAKE}Sec-WebSocket-Protocol: chat\r\n`)],
  ['without a key', upgrade('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n')],
  [
    'of a version that nobody speaks',
    upgrade(`${HANDSHAKE}Sec-WebSocket-Protocol: mqtt\r\n`.replace('13', '1')),
  ],
  [
    'that asks for no upgrade',
    upgrade('').replace('Connection: Upgrade\r\nUpgrade: websocket', 'Connection: close'),
  ],
  ['by another method', upgrade(`${HANDSHAKE}Sec-WebSocket-Protocol: mqtt\r\n`).replace('GET', 'POST')],
])('answers a WebSocket handshake %s in the shape of all errors', async (_, bytes) => {
  const hub = await startTestHub()
  const { status, headers, body } = answerIn(await said(hub.http, bytes))
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ code: 40004, error: 'NO_MQTT_HANDSHAKE', requestId: 'mine-1' })
  expect(headers.get('connection')).toBe('close')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})
