import * as z from 'zod'
import { number, printable } from './fields.ts'

/** Why a device has started. The hub takes other words too: a newer device may have more causes. */
export const RESET_CAUSES = [
  'power',
  'brownout',
  'pin',
  'watchdog',
  'fault',
  'software',
  'update',
  'unknown',
] as const

/** What a device does with an offer of firmware. */
export const UPDATE_STATES = ['downloading', 'installing', 'declined', 'failed'] as const

export const telemetry = z
  .object({
    battery: z.int().min(0).max(100).optional().describe('Battery charge.').meta({ unit: '%' }),
    charging: z.boolean().optional().describe('Whether the battery is being charged.'),
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
    health: z
      .object({
        reset: printable.min(1).max(16).describe('Why the device has started.'),
        uptime: number.describe('Time since this start.').meta({ unit: 's' }),
        crashes: number.describe('How often a watchdog or a fault has restarted it since it was made.'),
        modem: printable
          .min(1)
          .max(32)
          .optional()
          .describe('Why its last connection ended, in the words of its modem or network stack.'),
      })
      .optional()
      .describe('How the device runs (sb/1 8.10): `reset`, `uptime`, `crashes`, and `modem`?.'),
  })
  .describe('The state of the device, as information for people. The hub does not act on it. It has no MAC.')
export type Telemetry = z.infer<typeof telemetry>
