import { z } from '@hono/zod-openapi'
import { AMOUNT_PATTERN } from '../../protocol/messages/fields.ts'
import { SERIAL_PATTERN } from '../../protocol/topics.ts'
import { parsePayDate } from '../payments/pay-date.ts'

/**
 * The fields of the partner API, each with the one sentence that `details` shows when it is wrong.
 * Lengths are in code points. Nothing here repairs a value, except that names lose outer spaces and phone
 * numbers their spaces, dots and dashes.
 */

/** A JSON string; anything else gets a sentence that says so. */
function text() {
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

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const CONTROL_BUT_TAB_AND_NEWLINE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/

/** `min` is 0 or 1. A string has at most as many code points as UTF-16 units, so most need no counting. */
function lengthBetween(value: string, min: 0 | 1, max: number): boolean {
  return value.length >= min && (value.length <= max || [...value].length <= max)
}

/** Text without control characters, `min` to `max` code points. */
function printable(min: 0 | 1, max: number) {
  return text()
    .refine((value) => lengthBetween(value, min, max), `must have ${min} to ${max} characters`)
    .refine(
      (value) => value.isWellFormed() && !CONTROL.test(value),
      'must have no control or ill-formed characters',
    )
}

function pattern(regex: RegExp, issue: string) {
  return text().regex(regex, issue)
}

export const amount = pattern(
  AMOUNT_PATTERN,
  'must be 1 to 13 digits without a leading zero, in đồng',
).openapi({ example: '50000' })

export const deviceSerial = pattern(
  SERIAL_PATTERN,
  'must be 4 to 32 letters, digits, underscores or hyphens',
).openapi({ example: 'SB-0001' })

/** Kept and returned with the leading 0. */
export const phoneNumber = text()
  .transform((value) => value.replaceAll(/[ .-]/g, ''))
  .pipe(
    z
      .string()
      .regex(/^(\+?84|0)([35789]\d{8}|2\d{9})$/, 'must be a Vietnamese phone number')
      .transform((value) => value.replace(/^(\+?84|0)/, '0')),
  )
  .openapi({ type: 'string', example: '0901234567' })

export const identityNumber = pattern(
  /^[A-Za-z0-9-]{6,20}$/,
  'must be 6 to 20 letters, digits or hyphens',
).openapi({ example: '079123456789' })

export const bankCode = pattern(/^[A-Za-z0-9]{2,20}$/, 'must be 2 to 20 letters or digits').openapi({
  example: 'MB',
})

export const bankAccountNumber = pattern(/^[A-Za-z0-9]{4,34}$/, 'must be 4 to 34 letters or digits').openapi({
  example: '0123456789',
})

/** terminalID, rmCode, billNumber, ftCode, traceTransfer. */
export const reference = printable(1, 64)

export const name = text()
  .refine((value) => !CONTROL.test(value), 'must have no control or ill-formed characters')
  .transform((value) => value.trim())
  .pipe(printable(1, 128))
  .openapi({ type: 'string' })

export const notice = text()
  .refine((value) => lengthBetween(value, 0, 512), 'must have at most 512 characters')
  .refine(
    (value) => value.isWellFormed() && !CONTROL_BUT_TAB_AND_NEWLINE.test(value),
    'must have no control characters but tab and newline, and no ill-formed ones',
  )

export const qrText = printable(1, 1024)

export const verificationCode = pattern(/^[0-9]{6}$/, 'must be 6 digits').openapi({ example: '048213' })

export const payDate = text()
  .refine((value) => parsePayDate(value) !== undefined, 'must be an ISO 8601 date and time')
  .openapi({ example: '2026-11-20T10:15:30.000Z' })

/** Any string, as credentials are: what is wrong with it is not said. */
export const credential = text().min(1, 'is required').max(512, 'is too long')

/** A field that may be absent, null or empty; it becomes the empty string. */
export function orEmpty<T extends z.ZodType<string>>(field: T) {
  return z
    .union([z.literal(''), z.null().transform(() => ''), field])
    .optional()
    .transform((value) => value ?? '')
}
