import { z } from 'zod'

export const telemetry = z
  .object({
    battery: z.int().min(0).max(100).optional().describe('Battery charge.').meta({ unit: '%' }),
    signal: z.int().min(-150).max(0).optional().describe('Signal strength.').meta({ unit: 'dBm' }),
    volume: z.int().min(0).max(100).optional().describe('Volume.').meta({ unit: '%' }),
    queue: z.int().min(0).max(10_000).optional().describe('Announcements waiting to be spoken.'),
  })
  .describe('The state of the device, as information for people. The hub does not act on it. It has no MAC.')
export type Telemetry = z.infer<typeof telemetry>
