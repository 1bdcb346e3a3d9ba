import * as z from 'zod'
import { commandId, number } from './fields.ts'

/** Why a device did not carry out a command. */
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
    rc: reasonCode.optional().describe('Why the command failed. Present if and only if `st` is `failed`.'),
    dup: z
      .boolean()
      .optional()
      .describe(
        'True if the command was a repeat. The stage is the one that the command had already reached.',
      ),
  })
  .describe("The device's answer to a command. The PUBACK means that the hub has stored it.")
export type Ack = z.infer<typeof ack>
