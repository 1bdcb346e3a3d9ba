import { z } from 'zod'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { BOX_FAULTS } from './faults.ts'

/** The events of a box, which are its lines without a screen. Names and fields are those of sb/1 where both have them. */

const on = z.boolean()
const n = z.int().min(1).describe('Counts the sounds since the power came.')
const reason = z.string().describe('In plain words.')
const retryInMs = z.number().min(0)
const amount = z.string().describe('A decimal string in đồng.')
const id = z.string().describe("The maker's id of the message.")

const line = <E extends string, F extends z.ZodRawShape>(event: E, fields: F, about: string) =>
  z.object({ event: z.literal(event), ...fields }).describe(about)

export const boxLine = z.discriminatedUnion('event', [
  line('power', { on }, 'It was given power, or lost it.'),
  line('fault', { fault: z.enum(BOX_FAULTS), on }, 'Something in it was broken, or repaired.'),
  line('connected', {}, 'Its subscription was confirmed.'),
  line('disconnected', { reason }, 'A session with a subscription has ended.'),
  line('offline', { reason, retryInMs }, 'An attempt to connect has failed.'),
  line(
    'refused',
    { code: z.int(), reason, retryInMs: z.exactOptional(retryInMs) },
    'The login was refused; without retryInMs it gives up.',
  ),
  line('home', { lines: z.array(z.string()).readonly(), qr: z.string() }, 'The idle screen has changed.'),
  line(
    'code',
    { code: z.string(), how: z.enum(['screen', 'spoken', 'qr']) },
    'Six digits are shown, or begin to be spoken.',
  ),
  line(
    'qr',
    {
      qr: z.string(),
      amount: z.exactOptional(amount),
      bill: z.string(),
      exp: z.exactOptional(z.int().min(0).describe("Unix seconds on the box's clock.")),
    },
    'A QR is on the screen.',
  ),
  line(
    'cleared',
    { what: z.enum(['code', 'qr']), why: z.enum(['paid', 'dismissed', 'expired', 'replaced']) },
    'It was on the screen and has gone.',
  ),
  line(
    'announce',
    {
      n,
      amount: z.exactOptional(amount),
      currency: z.literal('VND'),
      text: z.string().describe('What the shop hears.'),
      lang: z.enum(LANGUAGES),
      id: z.exactOptional(id),
    },
    'A sound starts. Without amount: what is heard is no whole amount in đồng.',
  ),
  line('played', { n }, 'The sound has ended.'),
  line('keyed', { id, amount }, 'An amount was keyed in and sent.'),
  line('answered', { id, ok: z.boolean() }, 'The request of the keypad was answered.'),
  line('repeat', { id }, 'A message with a known id came again.'),
  line('dropped', { reason: z.enum(['busy', 'queue_full']) }, 'A message was confirmed and then dropped.'),
  line('ignored', { reason }, 'A message, or a part of it, has no effect on this box.'),
])
export type BoxLine = z.infer<typeof boxLine>
