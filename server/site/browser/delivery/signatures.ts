import { decodeChecksum } from '../../../payments/canonical-string.ts'
import { sign, toBase64, toHex } from '../shared/digest.ts'
import { otherBodies } from './bodies.ts'

/** One signature of the header. */
export interface Signature {
  /** As written. */
  text: string
  /** 32 bytes; undefined when it is none. */
  bytes: Uint8Array | undefined
  /** What is wrong with its spelling. */
  misspelled: string | undefined
}

/** What a signature may be of. */
export interface Signed {
  id: string
  timestamp: string
  body: string
  key: Uint8Array
  /** As typed, without white space around it. */
  secret: string
}

/** `mistake`: it is known how it was made. `unknown`: of another secret or of another content. */
export interface Explained {
  verdict: 'right' | 'mistake' | 'unknown'
  says: string
  instead?: string
}

/** The signatures of a header, and what is wrong with the header as a whole. */
export function readSignatures(header: string): { signatures: Signature[]; remarks: string[] } {
  const spaced = header.replace(/,?\s*,\s*(?=v\d+a?[,=:])|=,(?=v\d+a?[,=:])/g, (comma) =>
    comma.startsWith('=') ? '= ' : ' ',
  )
  const remarks =
    spaced === header
      ? []
      : ['Its signatures are joined by commas; they have a space between them. Does a proxy join headers?']
  return { signatures: spaced.trim().split(/\s+/).map(readSignature), remarks }
}

function readSignature(text: string): Signature {
  const [, version, mark, encoded = ''] = /^(v\d+a?)([,=:])(.*)$/.exec(text) ?? []
  const bytes = decodeChecksum(version === undefined ? text : encoded)
  return { text, bytes, misspelled: misspelling() }

  function misspelling(): string | undefined {
    if (version === undefined) return bytes && 'It lacks v1, at its start.'
    if (version !== 'v1') return `It is of version ${version}. The hub signs by v1.`
    if (mark !== ',') return `It has v1${mark} at its start, and v1, is right.`
    if (bytes && toBase64(bytes) !== encoded)
      return `It is written as ${encoded.length === 64 ? 'hex' : 'base64url or without ='}, and base64 is right.`
    return undefined
  }
}

/** Says how a signature was made. */
export function explain(signature: Signature, signed: Signed): Explained {
  const { bytes, misspelled } = signature
  if (!bytes) {
    const says = misspelled ?? 'It is not v1, and base64 of 32 bytes. Was a part of it lost?'
    return { verdict: 'mistake', says }
  }
  const made = howMade(toHex(bytes), signed)
  if (made?.verdict === 'right' && misspelled !== undefined)
    return { verdict: 'mistake', says: `${misspelled} Apart from that it is right.` }
  const explained = made ?? { verdict: 'unknown', says: 'It is of another secret, or of another content.' }
  return misspelled === undefined ? explained : { ...explained, says: `${misspelled} And: ${explained.says}` }
}

function howMade(digest: string, signed: Signed): Explained | undefined {
  const { id, timestamp, body, key, secret } = signed
  const isOf = (content: string | Uint8Array, by: string | Uint8Array = key) =>
    toHex(sign(by, content)) === digest
  const content = `${id}.${timestamp}.${body}`
  if (isOf(content)) return { verdict: 'right', says: 'It is of this secret and of this content.' }

  const other = otherBodies(body).find((one) => isOf(join(`${id}.${timestamp}.`, one.body)))
  if (other) return { verdict: 'mistake', says: other.says, instead: other.instead }
  const wrong = wrongContents(signed).find(([, text]) => isOf(text))
  if (wrong)
    return {
      verdict: 'mistake',
      says: `It was made over ${wrong[0]}.`,
      instead: 'Sign {id}.{timestamp}.{body}.',
    }
  const instead = 'Take the bytes of the base64 behind whsec_ as the key.'
  if (isOf(content, secret))
    return { verdict: 'mistake', says: 'It was made with the text of the secret as the key.', instead }
  if (isOf(content, secret.replace('whsec_', '')))
    return {
      verdict: 'mistake',
      says: 'It was made with the text behind whsec_ as the key, not decoded.',
      instead,
    }
  return undefined
}

function wrongContents({ id, timestamp, body }: Signed): [what: string, content: string][] {
  return [
    ['the body alone', body],
    ['the timestamp and the body', `${timestamp}.${body}`],
    ['the id and the body', `${id}.${body}`],
    ['id, timestamp and body without dots between them', `${id}${timestamp}${body}`],
    ['the timestamp before the id', `${timestamp}.${id}.${body}`],
    ['the timestamp in seconds, and the header has another one', `${id}.${timestamp.slice(0, 10)}.${body}`],
  ]
}

function join(start: string, body: string | Uint8Array): string | Uint8Array {
  if (typeof body === 'string') return start + body
  return new Uint8Array([...new TextEncoder().encode(start), ...body])
}
