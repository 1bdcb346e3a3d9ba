import { z } from 'zod'
import { SID_PATTERN } from '../frame.ts'
import { AMOUNT_PATTERN } from '../money/amount.ts'
import { LANGUAGES } from '../money/language.ts'

/** Fields that several messages share. */

/** The largest number that travels: it fits an unsigned 32-bit integer on the device. */
export const NUMBER_MAX = 0xffff_ffff

/** A command number: one counter per device, rising. */
export const number = z.int().min(0).max(NUMBER_MAX)

/** A moment in Unix seconds. */
export const unixSeconds = z.int().min(0).max(0xffff_ffff).meta({ unit: 'Unix seconds' })

/** A command's ULID, the same for every resend. */
export const commandId = z
  .string()
  .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  .describe("The command's ULID, the same for every resend.")

/** A session id. */
export const sid = z
  .string()
  .regex(SID_PATTERN)
  .describe('The session that the CONNECT began: random, new for each.')

export const amount = z
  .string()
  .regex(AMOUNT_PATTERN)
  .describe("An amount in the currency's own unit, as a decimal string.")

/** An ISO 4217 code. */
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('An ISO 4217 code.')

/** A language that a clip pack exists for. */
export const language = z.enum(LANGUAGES)

/** The last field of a frame, as its last 32 bytes have it: 128 bits, so the last character is one of four. */
export const mac = z
  .string()
  .regex(/^[A-Za-z0-9_-]{21}[AQgw]$/)
  .describe(
    'The last field of the frame, over all bytes before it: see sb/1 5.1 and 5.2. Verified before parsing.',
  )

/** Milliseconds since the epoch as Unix seconds, rounded down. */
export function toUnixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
