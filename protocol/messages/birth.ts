import { z } from 'zod'
import { number, sid, unixSeconds } from './fields.ts'

/** Half of the counter's range: a device that claims more is broken, and would use up its own numbers. */
const PLAYED_MAX = 0x7fff_ffff

/** The first message after SUBACK, on `up/birth`: who the device is and what it can do. */
export const birth = z.object({
  t: z.literal('birth'),
  sid,
  /** Firmware version. */
  fw: z.string().max(64).default(''),
  model: z.string().max(64).default(''),
  /** What it can do; unknown words are ignored. */
  caps: z.array(z.string().max(16)).max(16).default([]),
  /** Languages of its clip packs; unknown ones are ignored. */
  lang: z.array(z.string().max(8)).max(16).default([]),
  /** Bytes of its receive buffer for a whole PUBLISH; the hub never sends more. */
  rx: z.int().min(1).default(512),
  /** The highest number that it has ever played, kept over a power cut. */
  played: number.max(PLAYED_MAX).default(0),
  /** Version of the settings in force. */
  settings: number.default(0),
  /** Its own clock; left out or 0 when it has none. */
  at: unixSeconds.default(0),
})
export type Birth = z.infer<typeof birth>
