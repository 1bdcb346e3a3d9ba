import * as z from 'zod'
import { SID_PATTERN } from '../frame.ts'
import { AMOUNT_PATTERN } from '../money/amount.ts'
import { LANGUAGES } from '../money/language.ts'

/** Fields that several messages share. */

/** The largest number in a message. It fits an unsigned 32-bit integer on the device. */
export const NUMBER_MAX = 0xffff_ffff

/** A command number: one rising counter per device. */
export const number = z.int().min(0).max(NUMBER_MAX)

/** A moment in Unix seconds. */
export const unixSeconds = z.int().min(0).max(0xffff_ffff).meta({ unit: 'Unix seconds' })

/** A command's ULID, the same for every resend. */
export const commandId = z
  .string()
  .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  .describe("The command's ULID, the same for every resend.")

/** A session id. */
export const sid = z.string().regex(SID_PATTERN).describe('The session id: random, and new for each CONNECT.')

export const amount = z
  .string()
  .regex(AMOUNT_PATTERN)
  .describe("An amount in the currency's unit, as a decimal string.")

/** An ISO 4217 code. */
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('An ISO 4217 code.')

/** A language with a clip pack. */
export const language = z.enum(LANGUAGES)

/**
 * The last field of a frame. 22 characters carry 132 bits and the MAC has 128, so the last character is one of four.
 */
export const mac = z
  .string()
  .regex(/^[A-Za-z0-9_-]{21}[AQgw]$/)
  .describe(
    'The last field of the frame. It covers all bytes before it (sb/1 5.1, 5.2). Verify it before parsing.',
  )

/**
 * What a device says of itself: no control characters (Cc, Zl, Zp), and none that changes the direction of text or has no
 * width (Cf). People read it in terminals and logs, where such a character can hide or forge other text (sb/1 8.8).
 */
export const printable = z.string().regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u)

/** Converts milliseconds since the epoch to Unix seconds, rounded down. */
export function toUnixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
