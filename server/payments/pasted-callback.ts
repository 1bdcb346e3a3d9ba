import { inEnglish } from '../platform/language/words.ts'
import { CHECKSUM_FIELDS, type SignedFields, signedFields } from './canonical-string.ts'

/** A callback's body, read as the hub does: absent and null are empty. */
export interface PastedCallback {
  fields: SignedFields
  /** Empty when the body has none. */
  checkSum: string
  /** The values that the hub would refuse. */
  remarks: string[]
}

/** Reads a callback's JSON body, or the output of `hub pay --json`; returns a sentence when the text is neither. */
export function readCallback(text: string, say = inEnglish): PastedCallback | string {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return say({ en: 'This is not JSON yet.', vi: 'Đây chưa phải là JSON.' })
  }
  const body = isObject(json) && isObject(json.callback) ? json.callback : json
  if (!isObject(body))
    return say({
      en: 'This is JSON, but not an object.',
      vi: 'Đây là JSON, nhưng không phải là một đối tượng.',
    })
  if (!CHECKSUM_FIELDS.some((name) => name in body))
    return say({
      en: 'This object has none of the eight fields.',
      vi: 'Đối tượng này không có trường nào trong tám trường.',
    })

  const remarks: string[] = []
  const textOf = (name: string): string => {
    const value = body[name] ?? ''
    if (typeof value === 'string') return value
    remarks.push(
      say({
        en: `${name} is not a JSON string: the hub refuses it with 40001.`,
        vi: `${name} không phải là chuỗi JSON: hub từ chối với mã 40001.`,
      }),
    )
    return isObject(value) ? JSON.stringify(value) : String(value)
  }
  return { fields: signedFields(textOf), checkSum: textOf('checkSum'), remarks }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
