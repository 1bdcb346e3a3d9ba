import { failure, type QrResult, success } from './error.ts'

/**
 * EMVCo's data objects: an id of two digits, a length of two digits, a value. The length counts characters, not bytes
 * (EMV QRCPS merchant-presented 1.1, 3.2). This code counts code points.
 */

/** One data object. The value of a template is a sequence of data objects. */
export interface Field {
  readonly id: string
  readonly value: string
}

/** A data object with the UTF-16 index of its id in the payload. */
export interface PlacedField extends Field {
  readonly offset: number
}

/** Characters of the id and the length. */
export const HEADER_LENGTH = 4

/** The longest value that two digits can express. */
export const MAX_VALUE_LENGTH = 99

const TWO_DIGITS = /^[0-9]{2}$/

/**
 * Parses a text as one level of fields with unique ids. It is not recursive: the caller parses the templates that it
 * knows, so no input can cause deep nesting.
 *
 * @param start the index of the text in the payload, for the offsets
 */
export function readFields(text: string, start: number): QrResult<PlacedField[]> {
  const fields: PlacedField[] = []
  const seen = new Set<string>()
  let at = 0
  while (at < text.length) {
    const field = readField(text, at, start + at)
    if (!field.ok) return field
    const { id, value } = field.value
    if (seen.has(id)) return failure('duplicate', start + at, `field ${id} stands twice`)
    seen.add(id)
    fields.push(field.value)
    at += HEADER_LENGTH + value.length
  }
  return success(fields)
}

/** Writes one field. Throws a RangeError if the value does not have 1 to 99 characters. */
export function writeField({ id, value }: Field): string {
  const length = lengthOf(value)
  if (length < 1 || length > MAX_VALUE_LENGTH) throw new RangeError(`field ${id} takes 1 to 99 characters`)
  return `${id}${String(length).padStart(2, '0')}${value}`
}

/** Counts the characters of a text as a field's length does. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The UTF-16 index `count` characters after `from`, or undefined if the text is shorter. */
export function indexAfter(text: string, from: number, count: number): number | undefined {
  let index = from
  for (let left = count; left > 0; left--) {
    const codePoint = text.codePointAt(index)
    if (codePoint === undefined) return undefined
    index += codePoint > 0xffff ? 2 : 1
  }
  return index
}

function readField(text: string, at: number, offset: number): QrResult<PlacedField> {
  const valueAt = at + HEADER_LENGTH
  if (valueAt > text.length) return failure('truncated', offset, 'the text ends inside an id or a length')
  const id = text.slice(at, at + 2)
  if (!TWO_DIGITS.test(id)) return failure('bad_id', offset, 'an id is two digits')
  const length = text.slice(at + 2, valueAt)
  if (!TWO_DIGITS.test(length) || length === '00')
    return failure('bad_length', offset + 2, `the length of field ${id} is two digits, 01 to 99`)
  const end = indexAfter(text, valueAt, Number(length))
  if (end === undefined) return failure('truncated', offset, `the text ends inside field ${id}`)
  return success({ id, value: text.slice(valueAt, end), offset })
}
