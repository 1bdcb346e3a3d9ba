import { downTopic } from '../../topics.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'

/** Why the old key is not used: the next one was refused, and no CONNECT came since. Undefined if that is not so. */
export function explainRefusedKey(entries: readonly TranscriptEntry[]): string | undefined {
  const last = entries.findLast(({ kind }) => kind === 'connack')
  const connect = entries.findLast(({ kind }) => kind === 'connect')
  const isRefused =
    last?.bytes[3] === REFUSED_LOGIN && connect?.link === last.link && connect.has.key === 'new'
  return isRefused
    ? 'the next K was refused, and the device does not come back with the old one at once: `rekey` stores the next K beside the old one, and each CONNACK 4 changes between the two (2.7, 2.8)'
    : undefined
}

/** The code of the CONNACK. */
const REFUSED_LOGIN = 4

/** Why the device has no session, from the packets since its latest connection. Undefined if it has one. */
export function explainNoSession(serial: string, entries: readonly TranscriptEntry[]): string | undefined {
  const opened = entries.findLastIndex(({ kind }) => kind === 'opened')
  const here = entries
    .slice(Math.max(opened, 0))
    .filter(({ link }) => link === entries[Math.max(opened, 0)]?.link)
  const find = (kind: string) => here.find((seen) => seen.direction === 'up' && seen.kind === kind)
  const foreign = entries.find(({ kind, hints }) => kind === 'malformed' && hints.parsed !== undefined)
  if (foreign) return foreign.hints.parsed
  const isCutByKit = here.some(({ kind, has }) => kind === 'closed' && has.by === 'kit')
  if (opened < 0 || (isCutByKit && !find('subscribe')))
    return 'no connection came: a device comes back after every lost connection, within 60 s (1.6, 13.1)'
  const connect = find('connect')
  if (!connect)
    return 'a connection came, and no CONNECT: does the device wait for something first? It speaks first (1.1)'
  if (connect.hints.protocolVersion !== undefined) return connect.hints.protocolVersion
  const closed = here.some(({ kind, has }) => kind === 'closed' && has.by === 'device')
  const subscribe = find('subscribe')
  if (!subscribe)
    return closed
      ? 'the device closes the connection after the CONNACK, which accepts it: how does it read 20 02 00 00?'
      : `no SUBSCRIBE came: subscribe to ${downTopic(serial)} as soon as the CONNACK has come (4.2)`
  const birth = find('birth')
  if (!birth) return withoutBirth(find('publish'), closed)
  return explainNoWelcome(serial, {
    connect,
    subscribe,
    birth,
    closed,
    isConfirmed: find('puback') !== undefined,
  })
}

function withoutBirth(other: TranscriptEntry | undefined, closed: boolean): string {
  if (other?.hints.topic !== undefined) return other.hints.topic
  if (closed)
    return 'the device closes the connection after the SUBACK: it grants QoS 1, 90 03 with the packet identifier and 01'
  return 'no birth came after the SUBACK: does the device wait for a message? It speaks first (4.2)'
}

/** A birth has come, and no ack of the welcome. */
function explainNoWelcome(
  serial: string,
  given: {
    connect: TranscriptEntry
    subscribe: TranscriptEntry
    birth: TranscriptEntry
    closed: boolean
    isConfirmed: boolean
  },
): string {
  const { connect, subscribe, birth, closed, isConfirmed } = given
  const known = birth.hints.mac ?? connect.hints.password ?? birth.hints.sidFits
  if (known !== undefined) return known
  if (closed)
    return 'the device closes the connection at the welcome: can it read a PUBLISH of 300 bytes? (6.3)'
  if (subscribe.has.topics !== downTopic(serial))
    return `the device subscribes to ${subscribe.has.topics}: its down topic is ${downTopic(serial)} (4.1)`
  if (isConfirmed)
    return 'the welcome came (PUBACK) and has no ack: is its MAC verified with the key sb1/down, over the prefix `sb1|down|{serial}|{sid}|` and the bytes before `,"mac":"`? Compare with vectors/frame.json (5.2)'
  return 'the welcome has no PUBACK: does the device read what comes after its birth?'
}
