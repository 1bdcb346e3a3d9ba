import { failure, type QrResult, success } from './error.ts'
import { HEADER_LENGTH, type PlacedField, readFields } from './tlv.ts'

/** One level of a payload: its fields, and the UTF-16 index where it ends. */
export interface Level {
  readonly fields: readonly PlacedField[]
  readonly end: number
}

/** What a field is called, and how its value is read: undefined when it is not a valid one. */
export interface Definition<T> {
  readonly id: string
  readonly name: string
  read(value: string): T | undefined
}

/** A definition whose values are the texts that match a pattern. */
export function matching(id: string, name: string, pattern: RegExp): Definition<string> {
  return { id, name, read: (value) => (pattern.test(value) ? value : undefined) }
}

/** The level inside a template. */
export function levelWithin(template: PlacedField): QrResult<Level> {
  const start = template.offset + HEADER_LENGTH
  const fields = readFields(template.value, start)
  return fields.ok ? success({ fields: fields.value, end: start + template.value.length }) : fields
}

export function findField(level: Level, id: string): PlacedField | undefined {
  return level.fields.find((field) => field.id === id)
}

/** The value of a field that must be there. */
export function required<T>(level: Level, definition: Definition<T>): QrResult<T> {
  const field = requiredField(level, definition)
  return field.ok ? readValue(field.value, definition) : field
}

/** The value of a field that may be there. */
export function optional<T>(level: Level, definition: Definition<T>): QrResult<T | undefined> {
  const field = findField(level, definition.id)
  return field ? readValue(field, definition) : success(undefined)
}

/** A field that must be there, unread. */
export function requiredField(
  level: Level,
  { id, name }: Pick<Definition<unknown>, 'id' | 'name'>,
): QrResult<PlacedField> {
  const field = findField(level, id)
  return field ? success(field) : failure('missing', level.end, `field ${id} (${name}) is missing`)
}

function readValue<T>(field: PlacedField, { id, name, read }: Definition<T>): QrResult<T> {
  const value = read(field.value)
  if (value !== undefined) return success(value)
  return failure('bad_value', field.offset + HEADER_LENGTH, `field ${id} is not a valid ${name}`)
}
