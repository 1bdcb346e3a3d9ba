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

/** A device's answer to a command, on `up/ack`. The hub's PUBACK to it means that it is stored. */
export const ack = z.object({
  t: z.literal('ack'),
  id: commandId,
  n: number,
  st: ackStage,
  /** Present with `failed`. */
  rc: reasonCode.optional(),
  /** True when the command was a repeat: the stage is the one it had reached before. */
  dup: z.boolean().optional(),
})
export type Ack = z.infer<typeof ack>
