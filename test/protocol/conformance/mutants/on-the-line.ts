import type { Packet } from 'mqtt-packet'
import { sealFrame } from '../../../../protocol/frame.ts'
import {
  always,
  answersItsPings,
  connects,
  opensWith,
  publishes,
  trusting,
  wills,
  withoutMac,
} from '../support/bends.ts'
import { KEY, KEYS, SERIAL } from '../support/device-under-test.ts'
import type { Mutant } from './mutant.ts'

const upTopic = (kind: string) => `sb/1/${SERIAL}/up/${kind}`

/** Frames that nobody signed for this session, or that are no JSON of sb/1, in every form that can still be read. */
const READABLE_FORGERIES = [
  'mac/altered',
  'mac/wrong-key',
  'mac/reflected',
  'mac/other-sid',
  'mac/earlier-sid',
  'mac/other-serial',
  'mac/no-mac',
  'mac/mac-first',
  'mac/mac-flipped',
  'mac/mac-short',
  'mac/mac-padded',
  'mac/mac-respelled',
  'mac/mac-one-shorter',
  'mac/mac-other-case',
  'mac/mac-base64',
  'mac/mac-zero',
  'mac/mac-after-zero',
  'mac/byte-more',
  'mac/recording',
  'size/forged-over-buffer',
] as const

/** Mistakes that show in packets: in CONNECT, SUBSCRIBE, PUBACK, topics, MACs, and in what is believed. */
export const ON_THE_LINE: readonly Mutant[] = [
  {
    name: 'logs in with the key itself',
    mutation: () => ({ line: connects(() => ({ password: Buffer.from(KEY.toString('base64url')) })) }),
    fails: ['connection/password'],
  },
  {
    name: 'has a keepalive of 5 minutes',
    mutation: () => ({ line: connects(() => ({ keepalive: 300 })) }),
    fails: ['connection/keepalive'],
  },
  {
    name: 'asks for a persistent session',
    mutation: () => ({ line: connects(() => ({ clean: false })) }),
    fails: ['connection/clean'],
  },
  {
    name: 'has a will on an unknown topic',
    mutation: () => ({ line: wills({ topic: upTopic('status') }) }),
    fails: ['connection/will-topic'],
  },
  {
    name: 'has a will on the topic of another device',
    mutation: () => ({ line: wills({ topic: 'sb/1/SPK-TEST-08/up/will' }) }),
    fails: ['connection/will-serial'],
  },
  {
    name: 'has a retained will',
    mutation: () => ({ line: wills({ retain: true }) }),
    fails: ['connection/will-topic'],
    likely: { 'connection/will-topic': /the will is retained/ },
  },
  {
    name: 'says bye in its will',
    mutation: () => ({
      line: connects(({ will }) =>
        will ? { will: { ...will, payload: String(will.payload).replace('lost', 'bye') } } : {},
      ),
    }),
    fails: ['connection/will-frame'],
    likely: { 'connection/will-frame': /"bye" is for a clean end/ },
  },
  {
    name: 'subscribes with a wildcard',
    mutation: () => ({
      line: always({
        up: (packet) => [
          packet.cmd === 'subscribe'
            ? { ...packet, subscriptions: [{ topic: 'sb/1/+/down', qos: 1 }] }
            : packet,
        ],
      }),
    }),
    fails: ['session/subscribes-down'],
  },
  {
    name: 'takes every SUBACK for a subscription',
    mutation: () => ({
      line: always({
        down: (packet) => [packet.cmd === 'suback' ? { ...packet, granted: [1] } : packet],
      }),
    }),
    fails: ['reconnection/suback-refused'],
  },
  {
    name: 'subscribes again in the connection of a SUBACK that refuses',
    mutation: () => {
      let subscribe: Packet | undefined
      return {
        line: always({
          up: (packet) => {
            if (packet.cmd === 'subscribe') subscribe = packet
            return [packet]
          },
          down: (packet, { toKit }) => {
            if (packet.cmd !== 'suback' || packet.granted[0] === 1 || !subscribe) return [packet]
            toKit(subscribe)
            return []
          },
        }),
      }
    },
    only: ['reconnection/suback-refused'],
    fails: ['reconnection/suback-refused'],
  },
  {
    name: 'waits for a PUBACK without end',
    // The line gives the PUBACK of each ack itself.
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd === 'publish' && packet.qos === 1)
            toDevice({ cmd: 'puback', messageId: packet.messageId ?? 0 })
          return [packet]
        },
        down: (packet) => (packet.cmd === 'puback' ? [] : [packet]),
      }),
    }),
    only: ['held/never-confirmed'],
    fails: ['held/never-confirmed'],
  },
  {
    name: 'is born before the SUBACK',
    // The line gives the SUBACK itself, and swallows the one that comes.
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd === 'subscribe')
            toDevice({ cmd: 'suback', messageId: packet.messageId ?? 0, granted: [1] })
          return [packet]
        },
        down: (packet) => (packet.cmd === 'suback' ? [] : [packet]),
      }),
    }),
    fails: ['session/birth-awaits-suback', 'reconnection/suback-refused'],
    warns: ['power/without-connection'],
    likely: { 'session/birth-awaits-suback': /does not wait for the SUBACK/ },
  },
  {
    name: 'sends telemetry before its birth, which is allowed',
    mutation: () => ({
      line: publishes('birth', (birth) => [
        { ...birth, topic: upTopic('telemetry'), payload: '{"battery":80}', qos: 0 },
        birth,
      ]),
    }),
    fails: [],
  },
  {
    name: 'acks before its birth',
    mutation: () => ({
      line: publishes('birth', (birth) => {
        const { sid } = Object(JSON.parse(String(birth.payload)))
        const ack = { t: 'ack', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 1, st: 'received' }
        const payload = Buffer.from(sealFrame(KEYS.up, `sb1|up|${SERIAL}|${sid}|ack|`, ack))
        return [{ ...birth, topic: upTopic('ack'), messageId: 60_001, payload }, birth]
      }),
    }),
    fails: ['session/birth-first', 'power/before-welcome'],
    likely: { 'session/birth-first': /ack comes before the birth: send it after the next welcome/ },
  },
  {
    name: 'sends its birth without a MAC',
    mutation: () => ({ line: publishes('birth', ({ payload }) => ({ payload: withoutMac(payload) })) }),
    fails: ['mac/birth'],
  },
  {
    name: 'signs its acks with half a prefix',
    mutation: () => ({
      line: publishes('ack', ({ payload }) => {
        const { mac: _, ...body } = Object(JSON.parse(String(payload)))
        return { payload: Buffer.from(sealFrame(KEYS.up, `sb1|up|${SERIAL}|`, body)) }
      }),
    }),
    fails: ['mac/ack'],
  },
  {
    name: 'retains its acks',
    mutation: () => ({ line: publishes('ack', () => ({ retain: true })) }),
    fails: ['connection/no-retain'],
  },
  {
    name: 'sends no PUBACK',
    mutation: () => ({ line: always({ up: (packet) => (packet.cmd === 'puback' ? [] : [packet]) }) }),
    fails: ['session/puback'],
    likely: { 'session/puback': /no PUBACK comes for a command/ },
  },
  {
    name: 'sends nothing on a quiet line',
    only: ['connection/pings'],
    mutation: () => ({
      line: always({
        up: (packet, connection) =>
          packet.cmd === 'publish' && packet.qos === 0 ? [] : answersItsPings(packet, connection),
      }),
    }),
    fails: ['connection/pings'],
  },
  {
    name: 'does not notice that nobody answers',
    only: ['reconnection/half-open'],
    mutation: () => ({ line: always({ up: answersItsPings }) }),
    fails: ['reconnection/half-open'],
  },
  {
    name: 'verifies no MAC',
    mutation: () => ({ line: trusting(() => true) }),
    fails: READABLE_FORGERIES,
    likely: {
      'mac/no-mac': /obeys a frame without a MAC/,
      'mac/altered': /obeys a frame whose bytes were changed/,
      'mac/wrong-key': /does it compare the MAC at all/,
      'mac/reflected': /verifies with sb1\/up/,
      'mac/other-sid': /verifies without the sid/,
      'mac/earlier-sid': /accepts the sid of an earlier session/,
      'mac/other-serial': /verifies without the serial/,
      'mac/mac-first': /look at the last 32 bytes/,
      'mac/mac-flipped': /compares a part of the MAC/,
      'mac/mac-short': /as many characters as came/,
      'mac/mac-padded': /decodes the MAC and drops what is behind/,
      'mac/mac-respelled': /decodes the MAC, which loses four bits/,
      'mac/byte-more': /skips bytes behind the frame/,
    },
  },
  {
    name: 'takes frames of its earlier sessions',
    mutation: () => ({
      line: trusting((frame, sids) => sids.slice(0, -1).some((sid) => opensWith(frame, sid))),
    }),
    fails: ['mac/earlier-sid', 'mac/recording'],
  },
  {
    name: 'disconnects at an unknown type',
    mutation: () => ({
      line: always({
        down: (packet, { cut }) => {
          if (packet.cmd === 'publish' && String(packet.payload).includes('"fireworks"')) cut()
          return [packet]
        },
      }),
    }),
    fails: ['envelope/unknown-type', 'held/acks-among-many'],
  },
  {
    name: 'takes a refused login for a busy hub',
    mutation: () => ({
      line: always({
        down: (packet) => [
          packet.cmd === 'connack' && packet.returnCode ? { ...packet, returnCode: 3 } : packet,
        ],
      }),
    }),
    fails: [
      'reconnection/refused-connect',
      'reconnection/refused-not-authorised',
      'reconnection/refused-credentials',
    ],
    likely: { 'reconnection/refused-credentials': /read the code of the CONNACK, and wait 15 minutes/ },
  },
]
