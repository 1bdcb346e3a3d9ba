import { z } from '@hono/zod-openapi'

/**
 * What the text fields of the API are made of. Each rule also says itself in JSON Schema, as far as that can.
 */

/** A JSON string; anything else gets a sentence that says so. */
export function text() {
  return z.string({
    error: (issue) =>
      issue.input === undefined ? 'is required' : `must be a JSON string, not ${typeName(issue.input)}`,
  })
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** For a character class of a regular expression: the control characters, and those that end a line. */
export const CONTROLS = String.raw`\x00-\x1F\x7F-\x9F\u2028\u2029`
export const CONTROLS_BUT_TAB_AND_NEWLINE = String.raw`\x00-\x08\x0B-\x1F\x7F-\x9F\u2028\u2029`

/**
 * How JSON Schema says that there are none of these. It does not say that lone surrogates are refused as well:
 * only an escape can write one, and a pattern that names them stops tools of several languages.
 */
export const without = (characters: string) => `^[^${characters}]*$`

const CONTROL = new RegExp(`[${CONTROLS}]`)
const CONTROL_BUT_TAB_AND_NEWLINE = new RegExp(`[${CONTROLS_BUT_TAB_AND_NEWLINE}]`)

/** `min` is 0 or 1. A string has at most as many code points as UTF-16 units, so most need no counting. */
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

export function pattern(regex: RegExp, issue: string) {
  return text().regex(regex, issue)
}

/** A character that is no control character: a space, any other, or either. */
const SPACE = String.raw`[^\S${CONTROLS}]`
const INK = String.raw`[^\s${CONTROLS}]`
const EITHER = `[^${CONTROLS}]`

/** A name: printable, 1 to `max` code points, once it has lost its outer spaces. */
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

/** Text of up to `max` code points in which tabs and newlines may stand. */
export function multiline(max: number) {
  return text()
    .refine((value) => lengthBetween(value, 0, max), `must have at most ${max} characters`)
    .refine(
      (value) => value.isWellFormed() && !CONTROL_BUT_TAB_AND_NEWLINE.test(value),
      'must have no control characters but tab and newline, and no ill-formed ones',
    )
}

/** What an optional field takes beside null. */
export interface Limits {
  pattern: string
  maxLength?: number
}

/** A field that may be absent, null or empty; it becomes the empty string. Most are filled, so that is tried first. */
export function orEmpty<T extends z.ZodType<string>>(
  field: T,
  limits: Limits,
  description: string,
  example: string,
) {
  return z
    .union([field, z.literal(''), z.null().transform(() => '')])
    .optional()
    .transform((value) => value ?? '')
    .openapi({ type: ['string', 'null'], ...limits, description, examples: [example] })
}
