import { z } from 'zod'
import { number, sid, unixSeconds } from './fields.ts'

export const birth = z
  .object({
    t: z.literal('birth'),
    sid: sid.describe('The session, as in the will.'),
    fw: z.string().max(64).default('').describe('Firmware version.'),
    model: z.string().max(64).default('').describe('Model.'),
    caps: z
      .array(z.string().max(16))
      .max(16)
      .default([])
      .describe('What it can do: `screen`, `speaker`, `qr`. Unknown words are ignored.'),
    lang: z
      .array(z.string().max(8))
      .max(16)
      .default([])
      .describe('The languages of its clip packs; unknown ones are ignored.'),
    rx: z
      .int()
      .min(1)
      .default(512)
      .describe('Its receive buffer for a whole PUBLISH; the hub never sends more.')
      .meta({ unit: 'bytes' }),
    played: number
      .default(0)
      .describe('The highest n of an announcement whose audio has ever started, kept over a power cut.'),
    settings: number.default(0).describe('The version of the settings in force.'),
    at: unixSeconds.default(0).describe('Its own clock; left out or 0 when it has none.'),
  })
  .describe('The first message after the SUBACK: who the device is and what it can do.')
export type Birth = z.infer<typeof birth>
