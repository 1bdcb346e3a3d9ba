import * as z from 'zod'
import { number, unixSeconds } from './fields.ts'

export const welcome = z
  .object({
    now: unixSeconds.describe("The hub's clock."),
    n: number.describe('The highest command number so far.'),
    linked: z.boolean().describe('Whether the device is registered with a store.'),
    settings: number
      .optional()
      .describe(
        "The version of the device's settings that the hub knows from the device's last report. Left out if the hub knows none. The device reports its settings if this is not their version.",
      ),
  })
  .describe("The hub's answer to a birth. The hub sends no other command before it.")
