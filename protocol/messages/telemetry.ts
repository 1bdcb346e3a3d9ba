import * as z from 'zod'

/** What a device does with an offer of firmware. */
export const UPDATE_STATES = ['downloading', 'installing', 'declined', 'failed'] as const

export const telemetry = z
  .object({
    battery: z.int().min(0).max(100).optional().describe('Battery charge.').meta({ unit: '%' }),
    signal: z.int().min(-150).max(0).optional().describe('Signal strength.').meta({ unit: 'dBm' }),
    volume: z.int().min(0).max(100).optional().describe('Volume.').meta({ unit: '%' }),
    queue: z.int().min(0).max(10_000).optional().describe('Announcements waiting to be spoken.'),
    update: z
      .object({
        fw: z.string().max(64).describe('The offered version.'),
        state: z.enum(UPDATE_STATES).describe('How far the device is.'),
        percent: z.int().min(0).max(100).optional().describe('The part that is done.').meta({ unit: '%' }),
      })
      .optional()
      .describe('What the device does with an offer of firmware (sb/1 18.3): `fw`, `state`, and `percent`?.'),
  })
  .describe('The state of the device, as information for people. The hub does not act on it. It has no MAC.')
export type Telemetry = z.infer<typeof telemetry>
