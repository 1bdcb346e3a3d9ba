import { z } from 'zod'
import { number, unixSeconds } from './fields.ts'

/** The hub's answer to a birth; only after it does anything else travel down. */
export const welcome = z.object({
  /** The hub's clock, for a device that has none. */
  now: unixSeconds,
  /** The highest command number so far. */
  n: number,
  /** Whether the device is registered with a store. */
  linked: z.boolean(),
})
