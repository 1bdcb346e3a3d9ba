import type { IPublishPacket } from 'mqtt-packet'
import { sealText, upPrefix } from '../../../../protocol/frame.ts'
import { always, connects, publishes } from '../support/bends.ts'
import { KEYS, SERIAL } from '../support/device-under-test.ts'
import { bentLine } from '../support/line.ts'
import { rewrites, seals } from '../support/sealing.ts'
import type { Mutant } from './mutant.ts'

const upTopic = (kind: string) => `sb/1/${SERIAL}/up/${kind}`

/** Mistakes of an MQTT stack, and of whoever writes frames. */
export const IN_ITS_PACKETS: readonly Mutant[] = [
  {
    name: 'connects with MQTT 3.1 and its own names',
    mutation: () => ({
      line: connects(() => ({
        ...{ protocolId: 'MQIsdp', protocolVersion: 3 },
        ...{ clientId: 'speaker', username: 'admin' },
      })),
    }),
    fails: ['connection/mqtt-version', 'connection/client-id', 'connection/username'],
  },
  {
    name: 'sends packets with flags that are reserved',
    mutation: () => ({
      line: always({
        up: (packet) => (packet.cmd === 'puback' ? [packet, Buffer.from([0xc1, 0x00])] : [packet]),
      }),
    }),
    fails: ['connection/well-formed'],
  },
  {
    name: 'publishes a long log on an unknown topic',
    mutation: () => ({
      line: publishes('birth', (birth) => [
        birth,
        { ...birth, topic: upTopic('log'), payload: 'x'.repeat(3_000), qos: 0 },
      ]),
    }),
    fails: ['connection/packet-size', 'connection/own-topics'],
  },
  {
    name: 'acks at QoS 0',
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd !== 'publish' || !packet.topic.endsWith('/ack')) return [packet]
          toDevice({ cmd: 'puback', messageId: packet.messageId ?? 0 })
          return [{ ...packet, qos: 0 }]
        },
      }),
    }),
    fails: ['connection/qos', 'power/given-up'],
  },
  {
    name: 'sends malformed telemetry at QoS 1',
    mutation: () => ({
      line: publishes('telemetry', () => ({
        payload: '{"battery":"full","health":{}}',
        qos: 1,
        messageId: 60_002,
      })),
    }),
    fails: ['connection/telemetry-qos', 'connection/telemetry-fields'],
  },
  {
    name: 'reports a battery of 150 percent',
    mutation: () => ({
      line: publishes('telemetry', ({ payload }) => ({
        payload: JSON.stringify({ ...Object(JSON.parse(String(payload))), battery: 150 }),
      })),
    }),
    fails: ['connection/telemetry-fields'],
  },
  {
    name: 'subscribes at QoS 0',
    mutation: () => ({
      line: always({
        up: (packet) => [
          packet.cmd === 'subscribe'
            ? {
                ...packet,
                subscriptions: packet.subscriptions.map(({ topic }) => ({ topic, qos: 0 as const })),
              }
            : packet,
        ],
        // The speaker in it would hang up at less than QoS 1.
        down: (packet) => [packet.cmd === 'suback' ? { ...packet, granted: [1] } : packet],
      }),
    }),
    fails: ['reconnection/suback-refused', 'session/subscribes-qos'],
  },
  {
    name: 'has session ids of 8 characters',
    mutation: () => ({ newSid: shortSids() }),
    fails: ['session/sid-form'],
  },
  {
    name: 'names another session in its birth',
    mutation: () => ({ line: rewrites('birth', (body) => ({ ...body, sid: 'feedfacecafebeef' })) }),
    fails: ['session/birth-sid'],
  },
  {
    name: 'has a number for its firmware',
    mutation: () => ({ line: rewrites('birth', (body) => ({ ...body, fw: 7 })) }),
    fails: ['session/birth-fields'],
  },
  {
    name: 'says that its buffer is small',
    mutation: () => ({ line: rewrites('birth', (body) => ({ ...body, rx: 300 })) }),
    fails: ['size/over-buffer'],
    warns: ['session/birth-buffer'],
  },
  {
    name: 'disconnects without bye',
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd !== 'publish' || !packet.topic.endsWith('/will')) return [packet]
          toDevice({ cmd: 'puback', messageId: packet.messageId ?? 0 })
          return []
        },
      }),
    }),
    fails: ['session/will-bye', 'session/goodbye'],
  },
  {
    name: 'writes 42 as 42.0 in its acks',
    mutation: () => ({
      line: seals(
        ({ signed, sid }) =>
          sealText(KEYS.up, upPrefix(SERIAL, sid, 'ack'), signed.replace(/"n":(\d+)/, '"n":$1.0')),
        ['ack'],
      ),
    }),
    fails: ['envelope/frames-are-json'],
  },
  {
    name: 'has a character in its model that turns the direction of text',
    mutation: () => ({ line: rewrites('birth', (body) => ({ ...body, model: 'SB\u202e1' })) }),
    fails: ['session/birth-fields'],
  },
  {
    name: 'writes numbers as text in its acks',
    mutation: () => ({ line: rewrites('ack', (body) => ({ ...body, n: String(body.n) })) }),
    fails: ['envelope/ack-names-command'],
  },
  {
    name: 'writes the type of its acks in capitals',
    mutation: () => ({ line: rewrites('ack', (body) => ({ ...body, t: 'ACK' })) }),
    fails: ['envelope/frames-are-json'],
  },
  {
    name: 'sends its settings without a MAC, and without a language',
    mutation: () => ({
      line: publishes('settings', ({ payload }) => {
        const { mac: _, lang: __, ...body } = Object(JSON.parse(String(payload)))
        return { payload: JSON.stringify(body) }
      }),
    }),
    fails: [
      'mac/settings',
      'settings/report-fields',
      'settings/applied',
      'settings/told-if-unknown',
      'settings/told-if-other',
      'settings/language',
      'settings/language-over-power-cut',
    ],
  },
  {
    name: 'disconnects at a frame that it cannot parse',
    mutation: () => ({
      line: always({
        down: (packet, { cut }) => {
          if (packet.cmd === 'publish' && !isReadable(packet)) cut()
          return [packet]
        },
      }),
    }),
    fails: ['envelope/no-id', 'envelope/no-number', 'envelope/not-json', 'mac/byte-missing', 'mac/byte-more'],
  },
  {
    name: 'takes a segment for a packet',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ forgetsPieces: true })) }),
    fails: ['size/in-pieces'],
  },
  {
    name: 'reads one packet of a segment',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ readsOneAPiece: true })) }),
    fails: ['expiry/last-second-of-code', 'size/joined', 'expiry/last-second'],
  },
  {
    name: 'does not notice that the line broke before the SUBACK',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ hangsBeforeSuback: true })) }),
    only: ['reconnection/before-suback'],
    fails: ['reconnection/before-suback'],
  },
  {
    name: 'never gives up waiting for its welcome',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ connections: 2 })) }),
    only: ['reconnection/without-welcome'],
    fails: [],
    warns: ['reconnection/without-welcome'],
  },
]

function isReadable({ payload }: IPublishPacket): boolean {
  try {
    const { id, n } = Object(JSON.parse(String(payload)))
    return typeof id === 'string' && typeof n === 'number'
  } catch {
    return false
  }
}

function shortSids(): () => string {
  const ids = ['9f86d081', '884c7d65', '9a2feaa0', 'c55ad015', 'a3bf4f1b', '2b0b822c', 'd15d6c15', 'b0f00a08']
  let next = 0
  return () => {
    next += 1
    return `${ids[next % ids.length]}`.slice(0, 6) + String(next).padStart(2, '0')
  }
}
