import { z } from 'zod'
import { number, unixSeconds } from './fields.ts'

export const welcome = z
  .object({
    now: unixSeconds.describe("The hub's clock, for a device that has none."),
    n: number.describe('The highest command number so far.'),
    linked: z.boolean().describe('Whether the device is registered with a store.'),
  })
  .describe("The hub's answer to a birth; only after it does anything else travel down.")
