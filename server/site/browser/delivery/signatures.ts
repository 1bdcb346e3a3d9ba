import { decodeChecksum } from '../../../payments/canonical-string.ts'
import type { Words } from '../../../platform/language/words.ts'
import { sign, toBase64, toHex } from '../shared/digest.ts'
import { say } from '../shared/say.ts'
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
      : [
          say({
            en: 'Its signatures are joined by commas; they have a space between them. Does a proxy join headers?',
            vi: 'Các chữ ký bị nối bằng dấu phẩy; đúng ra chúng cách nhau bằng dấu cách. Có proxy nào nối các header không?',
          }),
        ]
  return { signatures: spaced.trim().split(/\s+/).map(readSignature), remarks }
}

function readSignature(text: string): Signature {
  const [, version, mark, encoded = ''] = /^(v\d+a?)([,=:])(.*)$/.exec(text) ?? []
  const bytes = decodeChecksum(version === undefined ? text : encoded)
  return { bytes, misspelled: misspelling() }

  function misspelling(): string | undefined {
    if (version === undefined)
      return bytes && say({ en: 'It lacks v1, at its start.', vi: 'Thiếu v1, ở đầu.' })
    if (version !== 'v1')
      return say({
        en: `It is of version ${version}. The hub signs by v1.`,
        vi: `Chữ ký thuộc phiên bản ${version}. Hub ký theo v1.`,
      })
    if (mark !== ',')
      return say({
        en: `It has v1${mark} at its start, and v1, is right.`,
        vi: `Ở đầu viết v1${mark} trong khi viết v1, mới đúng.`,
      })
    if (bytes && toBase64(bytes) !== encoded) {
      const spelling =
        encoded.length === 64 ? 'hex' : say({ en: 'base64url or without =', vi: 'base64url hoặc thiếu =' })
      return say({
        en: `It is written as ${spelling}, and base64 is right.`,
        vi: `Chữ ký viết ở dạng ${spelling}, trong khi base64 mới đúng.`,
      })
    }
    return undefined
  }
}

/** Says how a signature was made. */
export function explain(signature: Signature, signed: Signed): Explained {
  const { bytes, misspelled } = signature
  if (!bytes) {
    const says =
      misspelled ??
      say({
        en: 'It is not v1, and base64 of 32 bytes. Was a part of it lost?',
        vi: 'Đây không phải là v1, kèm base64 của 32 byte. Có bị mất một phần không?',
      })
    return { verdict: 'mistake', says }
  }
  const made = howMade(toHex(bytes), signed)
  if (made?.verdict === 'right' && misspelled !== undefined)
    return {
      verdict: 'mistake',
      says: say({ en: `${misspelled} Apart from that it is right.`, vi: `${misspelled} Ngoài ra thì đúng.` }),
    }
  const explained: Explained = made ?? {
    verdict: 'unknown',
    says: say({
      en: 'It is of another secret, or of another content.',
      vi: 'Chữ ký của khoá bí mật khác, hoặc của nội dung khác.',
    }),
  }
  return misspelled === undefined
    ? explained
    : {
        ...explained,
        says: say({
          en: `${misspelled} And: ${explained.says}`,
          vi: `${misspelled} Ngoài ra: ${explained.says}`,
        }),
      }
}

function howMade(digest: string, signed: Signed): Explained | undefined {
  const { id, timestamp, body, key, secret } = signed
  const content = `${id}.${timestamp}.${body}`
  const isOf = (bytes: Bytes, by: Bytes) => toHex(sign(by, bytes)) === digest
  if (isOf(content, key))
    return {
      verdict: 'right',
      says: say({
        en: 'It is of this secret and of this content.',
        vi: 'Chữ ký của khoá bí mật này và của nội dung này.',
      }),
    }
  const found = [
    ...otherBodies(body).map((other) => ({
      ...other,
      content: join(`${id}.${timestamp}.`, other.body),
      key,
    })),
    ...wrongContents(signed).map(([what, wrong]) => ({
      ...{
        content: wrong,
        key,
        says: say({ en: `It was made over ${what.en}.`, vi: `Chữ ký được tính trên ${what.vi}.` }),
      },
      instead: say({ en: 'Sign {id}.{timestamp}.{body}.', vi: 'Hãy ký {id}.{timestamp}.{body}.' }),
    })),
    ...wrongKeys(secret).map(([what, wrong]) => ({
      ...{
        content,
        key: wrong,
        says: say({ en: `It was made with ${what.en}.`, vi: `Chữ ký được tính với ${what.vi}.` }),
      },
      instead: say({
        en: 'Take the bytes of the base64 behind whsec_ as the key.',
        vi: 'Hãy lấy các byte của phần base64 sau whsec_ làm khoá.',
      }),
    })),
  ].find((mistake) => isOf(mistake.content, mistake.key))
  return found && { verdict: 'mistake', says: found.says, instead: found.instead }
}

function wrongKeys(secret: string): [what: Words, key: string][] {
  return [
    [{ en: 'the text of the secret as the key', vi: 'nguyên văn khoá bí mật làm khoá' }, secret],
    [
      {
        en: 'the text behind whsec_ as the key, not decoded',
        vi: 'phần chữ sau whsec_ làm khoá, chưa giải mã',
      },
      secret.replace('whsec_', ''),
    ],
  ]
}

function wrongContents({ id, timestamp, body }: Signed): [what: Words, content: string][] {
  return [
    [{ en: 'the body alone', vi: 'chỉ phần thân' }, body],
    [{ en: 'the timestamp and the body', vi: 'timestamp và phần thân' }, `${timestamp}.${body}`],
    [{ en: 'the id and the body', vi: 'id và phần thân' }, `${id}.${body}`],
    [
      {
        en: 'id, timestamp and body without dots between them',
        vi: 'id, timestamp và phần thân không có dấu chấm ở giữa',
      },
      `${id}${timestamp}${body}`,
    ],
    [{ en: 'the timestamp before the id', vi: 'timestamp đứng trước id' }, `${timestamp}.${id}.${body}`],
    [
      {
        en: 'the timestamp in seconds, and the header has another one',
        vi: 'timestamp tính bằng giây, trong khi header có giá trị khác',
      },
      `${id}.${timestamp.slice(0, 10)}.${body}`,
    ],
  ]
}

function join(start: string, body: Bytes): Bytes {
  if (typeof body === 'string') return start + body
  return new Uint8Array([...new TextEncoder().encode(start), ...body])
}
