import { describeFacts, type Lookup } from '../case/matcher.ts'
import type { ExpectStep, ForbidStep } from '../case/schema.ts'
import type { Facts, Sighting } from '../wire/transcript.ts'

/** What is looked for, as a sentence names it: `ack of announce n 43 with st "played", dup true`. */
export function soughtInWords(
  kind: string,
  { of, says, has }: Pick<ExpectStep | ForbidStep, 'of' | 'says' | 'has'>,
  lookup: Lookup,
): string {
  const facts = [describeFacts(says, lookup), describeFacts(has, lookup)].filter((text) => text !== '')
  const command = of ? ` of ${lookup(`${of}.t`)} n ${lookup(`${of}.n`)}` : ''
  return `${kindInWords(kind)}${command}${facts.length > 0 ? ` with ${facts.join(', ')}` : ''}`
}

/** A sighting in a few words: `ack received n 43`. */
export function sightingInWords({ kind, direction, says, has }: Sighting): string {
  if (direction === 'line') return lineInWords(kind, has)
  const { t, st, rc, dup, n, ttl, played, ver, reason } = says
  const words: unknown[] = [kindInWords(kind)]
  if (kind === 'command' || kind === 'lost') words.push(t, ...named({ n, ttl }))
  if (kind === 'ack') words.push(st, rc, dup === true ? 'dup' : undefined, ...named({ n }))
  if (kind === 'birth') words.push(...named({ played }))
  if (kind === 'settings') words.push(...named({ ver }))
  if (kind === 'will') words.push(reason)
  if (kind === 'publish') words.push(has.topic)
  if (kind === 'subscribe') words.push(has.topics)
  return words.filter((word) => word !== undefined).join(' ')
}

/** `n 43`, for what is there. */
function named(fields: Facts): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
}

function lineInWords(kind: string, has: Facts): string {
  switch (kind) {
    case 'opened':
      return 'the line is open'
    case 'closed':
      return `the line was closed by the ${has.by}`
    case 'welcomed':
      return 'the session stands'
    default:
      return 'an attempt to connect was turned away'
  }
}

/** MQTT packets in capitals, as the standard writes them; messages and events in small letters. */
export function kindInWords(kind: string): string {
  const packets = /^(con|dis|sub|unsub|pub|ping)[a-z]+$/
  if (kind === 'welcomed') return 'session'
  if (kind === 'turned-away') return 'attempt to connect'
  if (kind === 'any') return 'packet'
  if (kind === 'sealed') return 'message with a MAC'
  return packets.test(kind) ? kind.toUpperCase() : kind
}

/** `0.4 s`, `12 s`. */
export function seconds(ms: number): string {
  return `${ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000)} s`
}
