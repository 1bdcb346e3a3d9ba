import { failure, type QrResult, success } from './error.ts'
import { HEADER_LENGTH, type PlacedField, readFields } from './tlv.ts'

/** One level of a payload: its fields and the UTF-16 index of its end. */
export interface Level {
  readonly fields: readonly PlacedField[]
  readonly end: number
}

/** A field's name and how to parse its value. `undefined` means an invalid value. */
export interface Definition<T> {
  readonly id: string
  readonly name: string
  read(value: string): T | undefined
}

/** A definition whose valid values match a pattern. */
export function matching(id: string, name: string, pattern: RegExp): Definition<string> {
  return { id, name, read: (value) => (pattern.test(value) ? value : undefined) }
}

/** The level in a template's value. */
export function levelWithin(template: PlacedField): QrResult<Level> {
  const start = template.offset + HEADER_LENGTH
  const fields = readFields(template.value, start)
  return fields.ok ? success({ fields: fields.value, end: start + template.value.length }) : fields
}

export function findField(level: Level, id: string): PlacedField | undefined {
  return level.fields.find((field) => field.id === id)
}

/** The value of a required field. */
export function required<T>(level: Level, definition: Definition<T>): QrResult<T> {
  const field = requiredField(level, definition)
  return field.ok ? readValue(field.value, definition) : field
}

/** The value of an optional field. */
export function optional<T>(level: Level, definition: Definition<T>): QrResult<T | undefined> {
  const field = findField(level, definition.id)
  return field ? readValue(field, definition) : success(undefined)
}

/** A required field with its raw value. */
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
