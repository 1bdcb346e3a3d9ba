import * as z from 'zod'
import { amount, unixSeconds } from './fields.ts'

export const qr = z
  .object({
    qr: z.string().min(1).max(1024).describe("The QR code's text."),
    amount: amount.describe("The amount to pay, in the currency's unit."),
    bill: z.string().max(64).describe('The bill to pay.'),
    exp: unixSeconds.describe('The last second in which the QR may be shown.'),
  })
  .describe(
    'A dynamic QR code. Show it until `exp` has passed, a `clear` arrives, or it is paid. A newer one replaces it.',
  )
