import mqttPacket, { type IConnectPacket, type IPublishPacket, type Packet } from 'mqtt-packet'
import { always } from '../support/bends.ts'
import { SERIAL } from '../support/device-under-test.ts'
import { bentLine, type Dial } from '../support/line.ts'
import type { Mistake } from './mistake.ts'

/** A device that gets no session, and the first reason. */
const SILENT: readonly (readonly [string, (packet: Packet) => readonly (Packet | Buffer)[], RegExp])[] = [
  [
    'does not subscribe',
    (packet) => (packet.cmd === 'subscribe' ? [] : [packet]),
    /no SUBSCRIBE came: subscribe to sb\/1\/SPK-TEST-07\/down/,
  ],
  ['has no birth', (packet) => (isOf('birth', packet) ? [] : [packet]), /no birth came after the SUBACK/],
  [
    'publishes its birth on another topic',
    (packet) => (isOf('birth', packet) ? [{ ...packet, topic: `devices/${SERIAL}/hello` }] : [packet]),
    /devices\/SPK-TEST-07\/hello is no topic of sb\/1/,
  ],
  [
    'does not ack the welcome',
    (packet) => (isOf('ack', packet) ? [] : [packet]),
    /the welcome came \(PUBACK\) and has no ack.*sb1\/down/,
  ],
  [
    'reads nothing after its birth',
    (packet) => (isOf('ack', packet) || packet.cmd === 'puback' ? [] : [packet]),
    /the welcome has no PUBACK/,
  ],
  ['sends nothing', () => [], /a connection came, and no CONNECT/],
]

const SECRET_HELLO = Buffer.from('16030102000100', 'hex')
const FOREIGN: readonly (readonly [string, Buffer | string, RegExp])[] = [
  ['speaks TLS', SECRET_HELLO, /speaks TLS, and the kit plain TCP/],
  ['speaks HTTP', 'GET /mqtt HTTP/1.1\r\nHost: kit\r\n\r\n', /speaks HTTP/],
  ['speaks WebSocket', 'GET /mqtt HTTP/1.1\r\nUpgrade: websocket\r\n\r\n', /speaks WebSocket/],
  ['comes through a proxy', 'PROXY TCP4 192.0.2.1 192.0.2.2 5000 1884\r\n', /PROXY header/],
]

const isFatal = { fails: 'session/opens', isFatal: true } as const

export const WITHOUT_A_SESSION: readonly Mistake[] = [
  ...SILENT.map(
    ([name, up, likely]): Mistake => ({
      name,
      mutation: () => ({ line: always({ up }) }),
      likely,
      ...isFatal,
      only: ['ack/clear', 'connection'],
    }),
  ),
  ...FOREIGN.map(
    ([name, hello, likely]): Mistake => ({
      name,
      mutation: () => ({
        line: always({ up: (packet) => (packet.cmd === 'connect' ? [Buffer.from(hello)] : [packet]) }),
      }),
      likely,
      ...isFatal,
    }),
  ),
  {
    name: 'speaks MQTT 5',
    mutation: () => ({ line: speakingMqtt5 }),
    likely: /speaks MQTT 5: set its MQTT library to 3\.1\.1/,
    ...isFatal,
  },
  {
    name: 'takes the CONNACK for a refusal',
    mutation: () => ({
      line: always({
        down: (packet, { cut }) => {
          if (packet.cmd === 'connack') cut()
          return [packet]
        },
      }),
    }),
    likely: /closes the connection after the CONNACK/,
    ...isFatal,
  },
]

/** A client of MQTT 5 hangs up at a CONNACK of MQTT 3.1.1, which has no properties. */
function speakingMqtt5(dial: Dial): Dial {
  return bentLine(dial, () => ({
    up: (packet) => (packet.cmd === 'connect' ? [mqtt5(packet)] : [packet]),
    down: (packet, { cut }) => {
      if (packet.cmd === 'connack') cut()
      return [packet]
    },
  }))
}

function mqtt5(packet: IConnectPacket): Buffer {
  return mqttPacket.generate({ ...packet, protocolVersion: 5 }, { protocolVersion: 5 })
}

function isOf(kind: string, packet: Packet): packet is IPublishPacket {
  return packet.cmd === 'publish' && packet.topic.endsWith(`/${kind}`)
}
