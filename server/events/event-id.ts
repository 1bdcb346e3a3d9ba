import { createHash } from 'node:crypto'

/** Crockford's base 32, as a ULID is written. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const EVENT_ID = /^evt_([0-7][0-9A-HJKMNP-TV-Z]{25})$/
/** A ULID has 48 bits of time, and 80 more: here 53 of the seq, and 27 of a hash of the partner. */
const [SEQ_BITS, PARTNER_BITS] = [53n, 27n]

const bits = (count: bigint) => (1n << count) - 1n

/** Makes the ids of a partner's events from the time and the seq of each. */
export function eventId(clientId: string): (at: number, seq: number) => string {
  const partner = partnerBits(clientId)
  return (at, seq) => {
    const ulid = (((BigInt(at) << SEQ_BITS) | BigInt(seq)) << PARTNER_BITS) | partner
    const digits = ulid.toString(32).padStart(26, '0')
    return `evt_${digits.replace(/./g, (digit) => ALPHABET.charAt(Number.parseInt(digit, 32)))}`
  }
}

/** What the id of a partner's event says. Undefined when it is none. */
export function readEventId(clientId: string, id: string): { at: number; seq: number } | undefined {
  const text = EVENT_ID.exec(id)?.[1]
  if (text === undefined) return undefined
  const ulid = [...text].reduce((sum, digit) => (sum << 5n) | BigInt(ALPHABET.indexOf(digit)), 0n)
  if ((ulid & bits(PARTNER_BITS)) !== partnerBits(clientId)) return undefined
  const rest = ulid >> PARTNER_BITS
  return { at: Number(rest >> SEQ_BITS), seq: Number(rest & bits(SEQ_BITS)) }
}

function partnerBits(clientId: string): bigint {
  return BigInt(createHash('sha256').update(clientId).digest().readUInt32BE()) >> (32n - PARTNER_BITS)
}
