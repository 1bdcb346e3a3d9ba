import { z } from 'zod'
import { number } from '../../../protocol/messages/fields.ts'

const amount = z.string()
const count = z.int().min(0)
const secondsLeft = count
const alsoPaid = z.exactOptional(z.object({ amount, bill: z.string() }))

/** The schema of the display. */
export const display = z.discriminatedUnion('screen', [
  z.object({ screen: z.literal('off') }),
  z.object({ screen: z.literal('code'), code: z.string(), secondsLeft, amount: z.exactOptional(amount) }),
  z.object({ screen: z.literal('payment'), amount, alsoPaid }),
  z.object({ screen: z.literal('paid'), amount, bill: z.string(), alsoPaid }),
  z.object({ screen: z.literal('qr'), qr: z.string(), amount, bill: z.string(), secondsLeft }),
  z.object({ screen: z.literal('missed'), count, amount }),
  z.object({ screen: z.literal('idle'), name: z.string(), qr: z.string() }),
  z.object({ screen: z.literal('locked'), name: z.string() }),
  z.object({ screen: z.literal('unregistered') }),
  z.object({ screen: z.literal('connecting') }),
  z.object({ screen: z.literal('no_network'), reason: z.string() }),
])

/** The schema of the current sound. */
export const sounding = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sentence'), n: number, text: z.string(), said: z.string(), amount }),
  z.object({ kind: z.literal('beep') }),
])
