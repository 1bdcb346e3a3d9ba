import type { IPublishPacket, Packet } from 'mqtt-packet'
import { textOf } from '#platform'
import { downPrefix, publishBytes, sealText } from '../../../../protocol/frame.ts'
import { downTopic } from '../../../../protocol/topics.ts'
import { always, resealing, trusting } from '../support/bends.ts'
import { KEYS, SERIAL } from '../support/device-under-test.ts'
import { bentLine, type Dial } from '../support/line.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes in how a MAC is compared, and in the MQTT and JSON below it. */
export const IN_ITS_CHECKS: readonly Mutant[] = [
  {
    name: 'compares a MAC without regard to case',
    mutation: () => ({ line: accepting((mac, right) => mac.toLowerCase() === right.toLowerCase()) }),
    fails: ['mac/mac-other-case'],
  },
  {
    name: 'compares a MAC up to a zero byte',
    mutation: () => ({ line: accepting(areEqualUpToZero) }),
    fails: ['mac/mac-after-zero'],
  },
  {
    name: 'accepts a MAC of zeros',
    mutation: () => ({ line: accepting((mac) => /^A{22}$/.test(mac)) }),
    fails: ['mac/mac-zero'],
  },
  {
    name: 'accepts a MAC in standard base64',
    mutation: () => ({
      line: accepting((mac, right) => mac.replaceAll('+', '-').replaceAll('/', '_') === right),
    }),
    fails: ['mac/mac-base64'],
  },
  {
    name: 'ignores the low bits of a MAC',
    mutation: () => ({
      line: accepting((mac, right) => mac.length === right.length && bytesOf(mac).equals(bytesOf(right))),
    }),
    fails: ['mac/mac-respelled', 'mac/mac-base64'],
  },
  {
    name: 'compares the characters of a MAC that there are',
    mutation: () => ({ line: accepting((mac, right) => mac.length > 16 && right.startsWith(mac)) }),
    fails: ['mac/mac-one-shorter'],
  },
  {
    name: 'acks a forged packet that is too large',
    mutation: () => ({ line: trusting((frame) => publishBytes(downTopic(SERIAL), frame) > 512) }),
    fails: ['size/forged-over-buffer'],
  },
  {
    // A 1 and the length take nine bytes: from 56 bytes on they need a block of their own.
    name: 'pads texts of 56 to 59 bytes modulo 64 into one block',
    mutation: () => ({
      line: always({ down: (packet) => [isPaddedWrongly(packet) ? garbled(packet) : packet] }),
    }),
    fails: ['mac/every-length'],
    likely: { 'mac/every-length': /modulo 64/ },
  },
  {
    name: 'reads JSON of 8 levels',
    mutation: () => ({
      line: always({ down: (packet) => (packet.cmd === 'publish' && depthOf(packet) > 8 ? [] : [packet]) }),
    }),
    fails: ['envelope/nested-deep'],
  },
  {
    name: 'has one packet identifier for all messages',
    mutation: () => ({ line: withOnePacketId() }),
    fails: ['connection/packet-ids', 'held/acks-of-several', 'held/acks-among-many'],
  },
  {
    name: 'starts its back-off again at a CONNACK',
    mutation: () => forgetfulBackoff(({ cmd }) => cmd === 'connack'),
    fails: [],
    warns: ['reconnection/hung-up'],
  },
  {
    name: 'starts its back-off again at a SUBACK',
    mutation: () => forgetfulBackoff(({ cmd }) => cmd === 'suback'),
    fails: [],
    warns: ['reconnection/hung-up'],
  },
  {
    name: 'starts its back-off again at each birth, on a slow line',
    mutation: () => forgetfulBackoff(({ cmd }) => cmd === 'suback'),
    only: ['reconnection/hung-up-for-long'],
    fails: [],
    warns: ['reconnection/hung-up-for-long'],
  },
  {
    name: 'waits as long before each first attempt',
    mutation: () => ({ random: () => 0.5 }),
    fails: ['reconnection/jitter'],
  },
  {
    name: 'waits for eight times as long',
    only: ['reconnection/waits-in-time'],
    mutation: () => ({ random: () => 8 }),
    fails: [],
    warns: ['reconnection/waits-in-time'],
  },
  {
    name: 'never waits for more than two seconds',
    only: ['reconnection/wait-grows'],
    mutation: () => ({ random: () => 1 / 30 }),
    fails: ['reconnection/wait-grows'],
  },
  {
    name: 'takes a command without a ttl for one with the usual ttl',
    mutation: () => ({
      line: resealing(
        (frame) => !/"ttl":/.test(frame.toString()),
        (body) => ({ ttl: 120, ...body }),
      ),
    }),
    fails: ['envelope/no-time'],
  },
]

/** A device that accepts a frame if it says so of the two MACs: the one that came, and the right one. */
function accepting(isRight: (mac: string, right: string) => boolean): (dial: Dial) => Dial {
  return trusting((frame, sids) => {
    const [, signed, mac] = /^(.*),"mac":"([^"]*)"\}$/s.exec(frame.toString()) ?? []
    if (signed === undefined || mac === undefined) return false
    const right = sealText(KEYS.down, downPrefix(SERIAL, sids.at(-1) ?? ''), signed).subarray(-24, -2)
    return isRight(mac, textOf(right))
  })
}

function bytesOf(mac: string): Buffer {
  return Buffer.from(mac, 'base64')
}

/** As `strncmp` compares the bytes of a MAC of the right form. */
function areEqualUpToZero(mac: string, right: string): boolean {
  if (!/^[A-Za-z0-9_-]{21}[AQgw]$/.test(mac)) return false
  const [one, other] = [bytesOf(mac), bytesOf(right)]
  const end = other.indexOf(0)
  return end >= 0 && one.subarray(0, end + 1).equals(other.subarray(0, end + 1))
}

/** Only frames with padding: the lengths of the others would decide what else fails. */
function isPaddedWrongly(packet: Packet): packet is IPublishPacket {
  if (packet.cmd !== 'publish' || !/"pad":/.test(String(packet.payload))) return false
  const signedBytes = packet.payload.length - ',"mac":"AAAAAAAAAAAAAAAAAAAAAA"}'.length
  const rest = (downPrefix(SERIAL, '0123456789abcdef').length + signedBytes) % 64
  return rest >= 56 && rest < 60
}

/** Its MAC is wrong. */
function garbled(packet: IPublishPacket): IPublishPacket {
  return { ...packet, payload: String(packet.payload).replace('{', '{ ') }
}

function depthOf({ payload }: IPublishPacket): number {
  let depth = 0
  let deepest = 0
  for (const character of String(payload)) {
    if (/[[{]/.test(character)) depth += 1
    if (/[\]}]/.test(character)) depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** The kit sees one identifier. The PUBACKs get back those of the speaker, in the order in which they were sent. */
function withOnePacketId(): (dial: Dial) => Dial {
  return (dial) => {
    const waiting: number[] = []
    return bentLine(dial, () => ({
      up: (packet) => {
        if (packet.cmd === 'connect') waiting.length = 0
        if (packet.cmd !== 'publish' || packet.qos === 0) return [packet]
        waiting.push(packet.messageId ?? 0)
        return [{ ...packet, messageId: 1 }]
      },
      down: (packet) =>
        packet.cmd === 'puback' ? [{ ...packet, messageId: waiting.shift() ?? 0 }] : [packet],
    }))
  }
}

/** Waits half a second after each connection that got so far, as after the first that was lost. */
function forgetfulBackoff(isFarEnough: (packet: Packet) => boolean) {
  let attempts = 0
  let isAccepted = false
  let waits = 0
  const line = always({
    up: (packet) => {
      if (packet.cmd === 'connect') {
        attempts += 1
        isAccepted = false
      }
      return [packet]
    },
    down: (packet) => {
      if (isFarEnough(packet)) isAccepted = true
      if (packet.cmd === 'publish') attempts = 0
      return [packet]
    },
  })
  const random = () => {
    waits += 1
    return (isAccepted ? 2 ** -attempts : 1) * (waits % 2 === 0 ? 0.4 : 0.6)
  }
  return { line, random }
}
