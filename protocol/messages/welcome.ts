import { z } from 'zod'
import { number, unixSeconds } from './fields.ts'

export const welcome = z
  .object({
    now: unixSeconds.describe("The hub's clock."),
    n: number.describe('The highest command number so far.'),
    linked: z.boolean().describe('Whether the device is registered with a store.'),
  })
  .describe("The hub's answer to a birth. The hub sends no other command before it.")
