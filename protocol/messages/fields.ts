import { z } from 'zod'
import { SID_PATTERN } from '../frame.ts'

/** Fields that several messages share. */

/** A command number: one counter per device, rising. Fits an unsigned 32-bit integer on the device. */
export const number = z.int().min(0).max(0xffff_ffff)

/** A moment in Unix seconds. */
export const unixSeconds = z.int().min(0).max(0xffff_ffff)

/** A command's ULID, the same for every resend. */
export const commandId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/)

/** A session id. */
export const sid = z.string().regex(SID_PATTERN)

/** An amount of money in the currency's own unit, as a decimal string: no floats travel. */
export const AMOUNT_PATTERN = /^[1-9][0-9]{0,12}$/
export const amount = z.string().regex(AMOUNT_PATTERN)

/** An ISO 4217 code. */
export const currency = z.string().regex(/^[A-Z]{3}$/)

/** A language that a clip pack exists for. */
export const language = z.enum(['vi', 'en'])
export type Language = z.infer<typeof language>

/** Milliseconds since the epoch as Unix seconds, rounded down. */
export function toUnixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
