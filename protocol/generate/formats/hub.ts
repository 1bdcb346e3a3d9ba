import { z } from 'zod'
import { number, unixSeconds } from '../../messages/fields.ts'

/** The formats of topics.json and sizes.json, which hubs use. */

export const topicsFile = z.strictObject({
  about: z.string(),
  rows: z.array(
    z.strictObject({
      serial: z.string().describe('The connected device'),
      action: z.enum(['publish', 'subscribe', 'will']),
      topic: z.string(),
      qos: z.int().min(0).max(2),
      retain: z.boolean().describe('Always false for a subscription'),
      allowed: z.boolean(),
      why: z.string(),
    }),
  ),
})
export type TopicsFile = z.infer<typeof topicsFile>

const body = z.record(z.string(), z.unknown())

export const sizesFile = z.strictObject({
  about: z.string(),
  rows: z.array(
    z.strictObject({
      why: z.string(),
      serial: z.string(),
      rx: z.int().describe("The device's receive buffer, in bytes"),
      t: z.string(),
      id: z.string(),
      n: number,
      at: unixSeconds,
      ttl: z.int(),
      whole: body.describe('The complete body'),
      sent: body
        .nullable()
        .describe('The body that the hub sends; null: none, and the command fails as too_large'),
      publish: z.int().nullable().describe('Bytes of the sent PUBLISH; null: none'),
    }),
  ),
})
export type SizesFile = z.infer<typeof sizesFile>
