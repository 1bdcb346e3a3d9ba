import fc from 'fast-check'
import type { Schema } from './openapi.ts'

/** Makes values from a JSON Schema: values that it accepts, and similar values that it may refuse. */

/** Values that the schema accepts, of all lengths and characters that it allows. */
export function accepted(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, type } = schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => accepted({ ...schema, type: one })))
  switch (type) {
    case 'object':
      return acceptedObject(schema)
    case 'array':
      return acceptedArray(schema)
    case 'string':
      return acceptedText(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case undefined:
      return fc.oneof(
        ...(anyOf ?? oneOf ?? []).map(accepted),
        ...(schema.allOf ? [acceptedObject(schema)] : []),
      )
    default:
      throw new Error(`nothing is known of the type ${type}`)
  }
}

/** The properties of an object and of all that it extends. */
export function propertiesOf(schema: Schema): { properties: Record<string, Schema>; required: string[] } {
  const parts = (schema.allOf ?? []).map(propertiesOf)
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), schema.properties),
    required: [...parts.flatMap((part) => part.required), ...(schema.required ?? [])],
  }
}

/** What each branch of `oneOf` requires, and what it is without: the properties that the others require. */
export function exclusive({ oneOf = [] }: Schema): { required: string[]; without: string[] }[] {
  return oneOf.map((branch) => ({
    required: branch.required ?? [],
    without: oneOf.flatMap((other) => (other === branch ? [] : (other.required ?? []))),
  }))
}

/** Of `anyOf` only that some properties are required and not empty is looked at: that is all that it says here. */
function acceptedObject(schema: Schema): fc.Arbitrary<object> {
  const { properties, required } = propertiesOf(schema)
  const made = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, accepted(one)]))
  const exclusives = exclusive(schema).map((branch) => {
    const own = Object.entries(made).filter(([name]) => !branch.without.includes(name))
    return fc.record(Object.fromEntries(own), { requiredKeys: [...required, ...branch.required] })
  })
  if (exclusives.length > 0) return fc.oneof(...exclusives)
  const branches = schema.anyOf ?? [{}]
  return fc.oneof(
    ...branches.map((branch) => {
      const needed = branch.required ?? []
      const filled = Object.fromEntries(
        Object.entries(branch.properties ?? {}).map(([name, { minLength = 0 }]) => [
          name,
          accepted({ ...properties[name], type: 'string' }).filter(
            (text) => String(text).length >= minLength,
          ),
        ]),
      )
      return fc.record({ ...made, ...filled }, { requiredKeys: [...required, ...needed] })
    }),
  )
}

function acceptedArray({ items = {}, minItems = 0, maxItems = 10 }: Schema): fc.Arbitrary<unknown[]> {
  return fc.array(accepted(items), { minLength: minItems, maxLength: maxItems })
}

/** Characters that often break software: composed, wide, right to left, astral, joined. */
const UNUSUAL = [
  'ế',
  'e\u0301',
  '漢',
  'ש',
  '🍜',
  '👩‍🍳',
  '\u200b',
  '\ufeff',
  '\u00a0',
  '%',
  '"',
  '\\',
  '<',
  '&',
  '+',
]
const PLAIN = "abcXYZ019 .-_~*!'()&=+#/?"
const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff
const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0xff }),
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0, max: 0x10ffff }),
  )
  .map((point) => (isSurrogate(point) ? '?' : String.fromCodePoint(point)))
const unit = fc.oneof(anyCharacter, fc.constantFrom(...UNUSUAL))

const uuids = fc.uuid()

/** One for each pattern: making one takes longer than a hundred of its values. */
const made = new Map<string, fc.Arbitrary<string>>()
function matching(pattern: RegExp): fc.Arbitrary<string> {
  const known = made.get(pattern.source) ?? fc.stringMatching(pattern)
  made.set(pattern.source, known)
  return known
}

function acceptedText(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern = '^[\\s\\S]*$', minLength = 0, maxLength } = schema
  if (format === 'uuid') return uuids
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  const matches = new RegExp(pattern, 'u')
  const fits = (text: string) => {
    const { length } = [...text]
    return length >= minLength && length <= (maxLength ?? length) && matches.test(text)
  }
  if (!matches.test('ế🍜')) return matching(matches).filter(fits)
  const lengths = [1, 2, 64, 127, 128, 512, maxLength ?? 1].filter((length) => length <= (maxLength ?? 128))
  return fc.oneof(
    fc
      .string({ unit: fc.constantFrom(...PLAIN), minLength, maxLength: Math.min(maxLength ?? 128, 20) })
      .filter(fits),
    fc.string({ unit, minLength, maxLength: Math.min(maxLength ?? 128, 40) }).filter(fits),
    fc
      .tuple(fc.constantFrom('x', 'ế', '🍜'), fc.constantFrom(...lengths))
      .map(([one, length]) => one.repeat(length))
      .filter(fits),
  )
}

/** Values of wrong types in place of text. */
const NO_TEXT = [null, true, false, 0, 5, -1, 50_000, 1.5, 1e308, 2 ** 53, [], ['x'], {}, { a: { b: [] } }]
/** Parts that are inserted into a text. */
const SLIPPED = [
  '\u0000',
  '\t',
  '\n',
  '\r',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ud800',
  '\udc00',
  '🍜',
  ' ',
  '٣',
  'ｘ',
  "'",
]
const LENGTHS = [1, 5, 13, 14, 20, 21, 32, 33, 34, 35, 64, 65, 128, 129, 512, 513, 1024, 1025, 2_000]

/** Values of no schema. Made once, because making them is slow. */
const anything = fc.oneof(
  fc
    .tuple(fc.constantFrom('x', '1', '🍜', 'ế'), fc.constantFrom(...LENGTHS))
    .map(([one, n]) => one.repeat(n)),
  fc.string({ unit, maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e3',
    '__proto__',
    'constructor',
    'null',
    "' OR 1=1 --",
    '\ud83c\udf5c\ud83c',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Values that the schema may accept or refuse: near its limits, or far from them. */
export function mutated(schema: Schema): fc.Arbitrary<unknown> {
  const right = accepted(schema)
  const slipped = fc.tuple(right, fc.constantFrom(...SLIPPED), fc.nat(20)).map(([value, slip, at]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text.slice(0, at) + slip + text.slice(at)
  })
  return fc.oneof(
    { weight: 4, arbitrary: slipped },
    { weight: 2, arbitrary: fc.constantFrom(...NO_TEXT) },
    { weight: 1, arbitrary: right.map((value) => (typeof value === 'string' ? value.slice(1) : value)) },
    { weight: 1, arbitrary: right.map((value) => (typeof value === 'string' ? value + value : [value])) },
    { weight: 3, arbitrary: anything },
  )
}
