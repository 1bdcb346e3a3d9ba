import { z } from 'zod'
import { commandId, number } from './fields.ts'

/** Why a device did not do what a command asked. */
export const reasonCode = z.enum([
  'expired',
  'bad_mac',
  'unsupported',
  'too_large',
  'busy',
  'no_clip',
  'audio_failed',
  'display_failed',
  'muted',
  'not_ready',
])
export type ReasonCode = z.infer<typeof reasonCode>

/** The stage that a command has reached on the device. */
export const ackStage = z.enum(['received', 'shown', 'played', 'failed'])
export type AckStage = z.infer<typeof ackStage>

export const ack = z
  .object({
    t: z.literal('ack'),
    id: commandId.describe("The command's id."),
    n: number.describe("The command's number."),
    st: ackStage.describe('The stage that the command has reached.'),
    rc: reasonCode.optional().describe('Why it failed: with `failed`, and with nothing else.'),
    dup: z
      .boolean()
      .optional()
      .describe('True when the command was a repeat: the stage is the one that it had reached before.'),
  })
  .describe("The device's answer to a command. The hub's PUBACK to it means that it is stored.")
export type Ack = z.infer<typeof ack>
