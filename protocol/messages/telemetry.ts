import { z } from 'zod'

/** How the device is, on `up/telemetry` at QoS 0 without a MAC: for people to look at, never to act on. */
export const telemetry = z.object({
  /** Battery charge in percent. */
  battery: z.int().min(0).max(100).optional(),
  /** Signal strength in dBm. */
  signal: z.int().min(-150).max(0).optional(),
  /** Loudness in percent. */
  volume: z.int().min(0).max(100).optional(),
  /** Announcements waiting to be spoken. */
  queue: z.int().min(0).max(10_000).optional(),
})
export type Telemetry = z.infer<typeof telemetry>
