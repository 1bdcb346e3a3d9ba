import { z } from 'zod'
import type { PacketNote } from '../connection/packets.ts'
import { FRAME, NAME, type Same } from './text.ts'

const message = z.object({
  topic: z.enum(['down', 'birth', 'will', 'ack', 'telemetry', 'settings']),
  bytes: z.int().min(0),
  frame: FRAME,
  t: NAME.exactOptional(),
  n: z.number().exactOptional(),
  stage: NAME.exactOptional(),
  rc: NAME.exactOptional(),
  dup: z.boolean().exactOptional(),
})

export const note = z.object({
  direction: z.enum(['in', 'out']),
  packet: NAME,
  message: message.exactOptional(),
})

/** A field that a note gains or loses does not compile until it stands above. */
export const readsAllThatPasses: Same<z.infer<typeof note>, PacketNote> = true
