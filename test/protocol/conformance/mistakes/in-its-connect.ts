import type { IConnectPacket } from 'mqtt-packet'
import { always, connects, publishes, wills } from '../support/bends.ts'
import { SERIAL } from '../support/device-under-test.ts'
import type { Mistake } from './mistake.ts'

type Connect = Partial<IConnectPacket>

const CONNECTS: readonly (readonly [string, Connect, string, RegExp])[] = [
  ['has a keepalive of 0', { keepalive: 0 }, 'connection/keepalive', /0 switches pings off: 15 to 120 s/],
  [
    'has a keepalive in milliseconds',
    { keepalive: 60_000 },
    'connection/keepalive',
    /looks like milliseconds/,
  ],
  ['has a keepalive of 5 minutes', { keepalive: 300 }, 'connection/keepalive', /300 s is out of range/],
  ['asks for a persistent session', { clean: false }, 'connection/clean', /clean session is not set/],
  [
    'has a name of its own',
    { username: 'speaker' },
    'connection/username',
    /it is "speaker": it is the serial/,
  ],
  [
    'writes its username in lower case',
    { username: SERIAL.toLowerCase() },
    'connection/username',
    /in lower case.*the serial/,
  ],
  [
    'cuts its client id',
    { clientId: SERIAL.slice(0, -1) },
    'connection/client-id',
    /cut to 10 characters.*the serial/,
  ],
  [
    'speaks MQTT 3.1',
    { protocolId: 'MQIsdp', protocolVersion: 3 },
    'connection/mqtt-version',
    /speaks MQTT 3\.1: set its MQTT library to 3\.1\.1/,
  ],
]

export const IN_ITS_CONNECT: readonly Mistake[] = [
  ...CONNECTS.map(
    ([name, change, fails, likely]): Mistake => ({
      name,
      mutation: () => ({ line: connects(() => change) }),
      fails,
      likely,
    }),
  ),
  {
    name: 'has no will',
    mutation: () => ({
      line: always({ up: (packet) => [packet.cmd === 'connect' ? withoutWill(packet) : packet] }),
    }),
    fails: 'connection/will-topic',
    likely: /no will with a sid.*set one with the sid and "lost"/,
  },
  {
    name: 'has its will on a topic in capitals',
    mutation: () => ({ line: wills({ topic: `sb/1/${SERIAL}/up/Will` }) }),
    fails: 'connection/will-topic',
    likely: /the will is on sb\/1\/SPK-TEST-07\/up\/Will: it is on/,
  },
  {
    name: 'writes its sid in capitals',
    mutation: () => ({ newSid: counter((n) => `ABCDEF012345678${n % 10}`) }),
    fails: 'session/sid-form',
    likely: /has capitals: write hex in lower case/,
    only: ['session/sid-form', 'session/birth-fields', 'connection/will-frame', 'mac/birth', 'ack/announce'],
  },
  {
    name: 'publishes on topics in lower case',
    mutation: () => ({ line: onTopic((topic) => topic.toLowerCase()) }),
    fails: 'connection/own-topics',
    likely: /the serial in it is spk-test-07: it is SPK-TEST-07/,
  },
  {
    name: 'publishes on /UP/',
    mutation: () => ({ line: onTopic((topic) => topic.replace('/up/', '/UP/')) }),
    fails: 'connection/own-topics',
    likely: /the topic is in another case: it is sb\/1\/SPK-TEST-07\/up\//,
  },
  {
    name: 'publishes on a topic with a / before it',
    mutation: () => ({ line: onTopic((topic) => `/${topic}`) }),
    fails: 'connection/own-topics',
    likely: /the topic starts with a \//,
  },
  {
    name: 'retains its birth',
    mutation: () => ({ line: publishes('birth', () => ({ retain: true })) }),
    fails: 'connection/no-retain',
    likely: /birth is retained: clear the retain flag/,
  },
  {
    name: 'sends its settings at QoS 0',
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd !== 'publish' || !packet.topic.endsWith('/settings')) return [packet]
          toDevice({ cmd: 'puback', messageId: packet.messageId ?? 0 })
          return [{ ...packet, qos: 0 }]
        },
      }),
    }),
    fails: 'connection/qos',
    likely: /settings has QoS 0: it has QoS 1/,
  },
  {
    name: 'sends telemetry at QoS 1',
    mutation: () => ({ line: publishes('telemetry', () => ({ qos: 1, messageId: 60_002 })) }),
    fails: 'connection/telemetry-qos',
    likely: /telemetry has QoS 1: it has QoS 0/,
  },
]

function withoutWill({ will: _, ...connect }: IConnectPacket): IConnectPacket {
  return connect
}

function counter(write: (n: number) => string): () => string {
  let n = 0
  return () => write(n++)
}

function onTopic(change: (topic: string) => string) {
  return always({
    up: (packet) => [packet.cmd === 'publish' ? { ...packet, topic: change(packet.topic) } : packet],
  })
}
