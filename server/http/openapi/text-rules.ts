import { z } from '@hono/zod-openapi'

/** The rules of text fields. Each also describes itself in JSON Schema, as far as that is possible. */

/** The error of a required field, whether it is absent or wrong. */
export const required = (otherwise: string | ((input: unknown) => string)) => ({
  error: ({ input }: { input?: unknown }) => {
    if (input === undefined) return 'is required'
    return typeof otherwise === 'string' ? otherwise : otherwise(input)
  },
})

/** A JSON string. Another type gets an error that names it. */
export const text = () => z.string(required((input) => `must be a JSON string, not ${typeName(input)}`))

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Control characters and line separators, for a character class of a regular expression. */
export const CONTROLS = String.raw`\x00-\x1F\x7F-\x9F\u2028\u2029`
export const CONTROLS_BUT_TAB_AND_NEWLINE = String.raw`\x00-\x08\x0B-\x1F\x7F-\x9F\u2028\u2029`

/**
 * The JSON Schema pattern of a text without these characters. It does not exclude lone surrogates, which are refused as
 * well: only an escape can write one, and tools of several languages fail on a pattern that names them.
 */
export const without = (characters: string) => `^[^${characters}]*$`

const CONTROL = new RegExp(`[${CONTROLS}]`)
const CONTROL_BUT_TAB_AND_NEWLINE = new RegExp(`[${CONTROLS_BUT_TAB_AND_NEWLINE}]`)

/** Counts code points, and only for a text with more UTF-16 units than `max`. */
export function lengthBetween(value: string, min: 0 | 1, max: number): boolean {
  return value.length >= min && (value.length <= max || [...value].length <= max)
}

/** Text without control characters, `min` to `max` code points. */
export function printable(min: 0 | 1, max: number) {
  return text()
    .refine((value) => lengthBetween(value, min, max), `must have ${min} to ${max} characters`)
    .refine(
      (value) => value.isWellFormed() && !CONTROL.test(value),
      'must have no control or ill-formed characters',
    )
    .openapi({ minLength: min, maxLength: max, pattern: without(CONTROLS) })
}

export const pattern = (regex: RegExp, issue: string) => text().regex(regex, issue)

/** A space, another character, or either; none is a control character. */
const SPACE = String.raw`[^\S${CONTROLS}]`
const INK = String.raw`[^\s${CONTROLS}]`
const EITHER = `[^${CONTROLS}]`

/** A name: printable, 1 to `max` code points after trimming. */
export function trimmed(max: number) {
  return text()
    .refine((value) => !CONTROL.test(value), 'must have no control or ill-formed characters')
    .transform((value) => value.trim())
    .pipe(printable(1, max))
    .openapi({
      type: 'string',
      pattern: `^${SPACE}*${INK}(?:${EITHER}{0,${max - 2}}${INK})?${SPACE}*$`,
    })
}

/** Text of up to `max` code points; tabs and newlines are allowed. */
export function multiline(max: number) {
  return text()
    .refine((value) => lengthBetween(value, 0, max), `must have at most ${max} characters`)
    .refine(
      (value) => value.isWellFormed() && !CONTROL_BUT_TAB_AND_NEWLINE.test(value),
      'must have no control characters except tab and newline, and no ill-formed characters',
    )
}

/**
 * A field that may be absent, null or empty, which all become ''. The field comes first, because most are filled.
 * `limits` are those of JSON Schema.
 */
export function orEmpty<T extends z.ZodType<string>>(
  field: T,
  limits: { pattern: string; maxLength?: number },
  description: string,
  example: string,
) {
  return z
    .union([field, z.literal(''), z.null().transform(() => '')])
    .optional()
    .transform((value) => value ?? '')
    .openapi({ type: ['string', 'null'], ...limits, description, examples: [example] })
}
