import { z } from 'zod'
import { number } from '../../protocol/messages/fields.ts'
import { settings } from '../../protocol/messages/settings.ts'
import { FAULTS } from '../device/faults.ts'
import type { SpeakerSnapshot } from '../snapshot.ts'
import { NAME, type Same, SENTENCE } from './text.ts'

const count = z.int().min(0)
const amount = NAME

const display = z.discriminatedUnion('screen', [
  z.object({ screen: z.literal('off') }),
  z.object({ screen: z.literal('code'), code: NAME, secondsLeft: count }),
  z.object({ screen: z.literal('paid'), amount, bill: NAME }),
  z.object({ screen: z.literal('qr'), qr: SENTENCE, amount, bill: NAME, secondsLeft: count }),
  z.object({ screen: z.literal('missed'), count, amount }),
  z.object({ screen: z.literal('idle'), name: SENTENCE, qr: SENTENCE }),
  z.object({ screen: z.literal('unregistered') }),
  z.object({ screen: z.literal('connecting') }),
  z.object({ screen: z.literal('no_network'), reason: SENTENCE }),
])

const sounding = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sentence'), n: number, text: SENTENCE, said: SENTENCE, amount }),
  z.object({ kind: z.literal('beep') }),
])

/** A whole snapshot, as the lines `seen` add up to it. */
export const snapshot = z
  .object({
    serial: NAME,
    power: z.boolean(),
    display,
    link: z.enum(['connecting', 'offline', 'born', 'welcomed']),
    retryInMs: z.number().min(0).optional(),
    offlineReason: SENTENCE.exactOptional(),
    shop: SENTENCE,
    settings,
    faults: z.array(z.enum(FAULTS)).max(FAULTS.length).readonly(),
    battery: z.number(),
    signal: z.number(),
    sounding: sounding.optional(),
    waiting: count,
    played: number,
  })
  .transform((read) => ({ ...read, retryInMs: read.retryInMs, sounding: read.sounding }))

/** A field that the snapshot gains or loses does not compile until it stands above. */
export const readsAllThatIsSeen: Same<z.infer<typeof snapshot>, SpeakerSnapshot> = true
