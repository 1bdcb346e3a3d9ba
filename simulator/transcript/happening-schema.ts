import { z } from 'zod'
import { ackStage, reasonCode } from '../../protocol/messages/ack.ts'
import { language, number } from '../../protocol/messages/fields.ts'
import { settings } from '../../protocol/messages/settings.ts'
import { FAULTS } from '../device/faults.ts'
import type { Happening } from '../device/happenings.ts'
import { NAME, type Same, SENTENCE } from './text.ts'

const n = number
const amount = NAME
const reason = SENTENCE
const retryInMs = z.number().min(0)
const seconds = z.int().min(0)

const event = <const E extends string, S extends z.ZodRawShape>(name: E, fields: S) =>
  z.object({ event: z.literal(name), ...fields })

export const happening = z.discriminatedUnion('event', [
  event('power', { on: z.boolean() }),
  event('fault', { fault: z.enum(FAULTS), on: z.boolean() }),
  event('vitals', { battery: z.number(), signal: z.number() }),
  event('connected', { linked: z.boolean() }),
  event('disconnected', { reason }),
  event('offline', { reason, retryInMs }),
  event('refused', {
    code: z.union([z.literal(4), z.literal(5)]),
    reason,
    retryInMs: retryInMs.exactOptional(),
  }),
  event('profile', { name: SENTENCE, qr: SENTENCE }),
  event('code', { code: NAME, exp: seconds }),
  event('qr', { qr: SENTENCE, amount, bill: NAME, exp: seconds }),
  event('cleared', { what: z.enum(['code', 'qr']), why: z.enum(['command', 'expired', 'unlinked']) }),
  event('announce', {
    n,
    amount,
    currency: NAME,
    text: SENTENCE,
    lang: language,
    clips: SENTENCE,
    bill: NAME.exactOptional(),
  }),
  event('played', { n }),
  event('paid', { n, bill: NAME, amount }),
  event('missed', { count: z.int().min(0), amount }),
  event('identify', { n }),
  event('settings', settings.shape),
  event('failed', { t: NAME, n, rc: reasonCode }),
  event('repeat', { t: NAME, n, stage: ackStage }),
  event('dropped', { n, stage: ackStage }),
  event('ignored', { reason: z.enum(['no_mac', 'bad_mac', 'bad_json', 'malformed', 'before_welcome']) }),
  event('broken', { reason }),
  event('recorded', { n, file: SENTENCE }),
  event('trouble', { with: z.enum(['sound', 'record', 'transcript']), reason }),
])

/** An event that the speaker gains or loses does not compile until it stands above. */
export const readsAllThatHappens: Same<z.infer<typeof happening>, Happening> = true
