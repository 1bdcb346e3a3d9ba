import * as z from 'zod'
import { number, printable, sid, unixSeconds } from './fields.ts'

export const birth = z
  .object({
    t: z.literal('birth'),
    sid: sid.describe('The session id, the same as in the will.'),
    fw: printable.max(64).default('').describe('Firmware version: printable text.'),
    model: printable.max(64).default('').describe('Model: printable text.'),
    caps: z
      .array(z.string().max(16))
      .max(16)
      .default([])
      .describe(
        'Its capabilities: `screen`, `speaker`, `qr`, `rekey`, `update`, `health`. The hub ignores unknown ones.',
      ),
    lang: z
      .array(z.string().max(8))
      .max(16)
      .default([])
      .describe('The languages of its clip packs. The hub ignores unknown ones.'),
    rx: z
      .int()
      .min(1)
      .default(512)
      .describe('Its receive buffer for a whole PUBLISH. The hub never sends more.')
      .meta({ unit: 'bytes' }),
    played: number
      .default(0)
      .describe('The highest n of all announcements whose audio has started. Kept across power cuts.'),
    settings: number.default(0).describe('The version of its current settings.'),
    at: unixSeconds.default(0).describe('Its own clock. Left out or 0 if it has none.'),
  })
  .describe('The first message after the SUBACK: who the device is and what it can do.')
export type Birth = z.infer<typeof birth>
