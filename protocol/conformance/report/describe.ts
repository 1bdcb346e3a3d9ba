import { describeFacts, type Lookup } from '../case/matcher.ts'
import type { ExpectStep, ForbidStep } from '../case/schema.ts'
import type { Facts, TranscriptEntry } from '../wire/transcript.ts'

/** Describes an expected packet: `ack of announce n 43 with st "played", dup true`. */
export function describeExpectation(
  kind: string,
  { of, says, has }: Pick<ExpectStep | ForbidStep, 'of' | 'says' | 'has'>,
  lookup: Lookup,
): string {
  const facts = [describeFacts(says, lookup), describeFacts(has, lookup)].filter((text) => text !== '')
  const command = of ? ` of ${lookup(`${of}.t`)} n ${lookup(`${of}.n`)}` : ''
  return `${describeKind(kind)}${command}${facts.length > 0 ? ` with ${facts.join(', ')}` : ''}`
}

/** Describes a transcript entry: `ack received n 43`. */
export function describeEntry({ kind, direction, says, has }: TranscriptEntry): string {
  if (direction === 'line') return describeLineEvent(kind, has)
  const { t, st, rc, dup, n, ttl, played, ver, reason } = says
  const words: unknown[] = [describeKind(kind)]
  if (kind === 'command' || kind === 'lost') words.push(t, ...named({ n, ttl }))
  if (kind === 'ack') words.push(st, rc, dup === true ? 'dup' : undefined, ...named({ n }))
  if (kind === 'birth') words.push(...named({ played }))
  if (kind === 'settings') words.push(...named({ ver }))
  if (kind === 'will') words.push(reason)
  if (kind === 'publish') words.push(has.topic)
  if (kind === 'subscribe') words.push(has.topics)
  return words.filter((word) => word !== undefined).join(' ')
}

/** Formats the fields that are present: `n 43`. */
function named(fields: Facts): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
}

function describeLineEvent(kind: string, has: Facts): string {
  switch (kind) {
    case 'opened':
      return 'connection opened'
    case 'closed':
      return `connection closed by the ${has.by}`
    case 'welcomed':
      return 'session open'
    default:
      return 'connection attempt rejected'
  }
}

/** MQTT packets in capitals as in the standard, messages and events in lower case. */
export function describeKind(kind: string): string {
  const packets = /^(con|dis|sub|unsub|pub|ping)[a-z]+$/
  if (kind === 'welcomed') return 'session'
  if (kind === 'turned-away') return 'connection attempt'
  if (kind === 'any') return 'packet'
  if (kind === 'sealed') return 'message with a MAC'
  return packets.test(kind) ? kind.toUpperCase() : kind
}

/** `0.4 s`, `12 s`. */
export function formatSeconds(ms: number): string {
  return `${ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000)} s`
}
