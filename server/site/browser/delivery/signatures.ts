import { decodeChecksum } from '../../../payments/canonical-string.ts'
import { sign, toBase64, toHex } from '../shared/digest.ts'
import { otherBodies } from './bodies.ts'

type Bytes = string | Uint8Array

/** One signature of the header. */
interface Signature {
  /** 32 bytes; undefined when it is none. */
  bytes: Uint8Array | undefined
  /** What is wrong with its spelling. */
  misspelled: string | undefined
}

/** What a signature may be of. */
interface Signed {
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
  return { bytes, misspelled: misspelling() }

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
  const content = `${id}.${timestamp}.${body}`
  const isOf = (bytes: Bytes, by: Bytes) => toHex(sign(by, bytes)) === digest
  if (isOf(content, key)) return { verdict: 'right', says: 'It is of this secret and of this content.' }
  const found = [
    ...otherBodies(body).map((other) => ({
      ...other,
      content: join(`${id}.${timestamp}.`, other.body),
      key,
    })),
    ...wrongContents(signed).map(([what, wrong]) => ({
      ...{ content: wrong, key, says: `It was made over ${what}.` },
      instead: 'Sign {id}.{timestamp}.{body}.',
    })),
    ...wrongKeys(secret).map(([what, wrong]) => ({
      ...{ content, key: wrong, says: `It was made with ${what}.` },
      instead: 'Take the bytes of the base64 behind whsec_ as the key.',
    })),
  ].find((mistake) => isOf(mistake.content, mistake.key))
  return found && { verdict: 'mistake', says: found.says, instead: found.instead }
}

function wrongKeys(secret: string): [what: string, key: string][] {
  return [
    ['the text of the secret as the key', secret],
    ['the text behind whsec_ as the key, not decoded', secret.replace('whsec_', '')],
  ]
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

function join(start: string, body: Bytes): Bytes {
  if (typeof body === 'string') return start + body
  return new Uint8Array([...new TextEncoder().encode(start), ...body])
}
