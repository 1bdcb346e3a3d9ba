import { z } from 'zod'
import { amount, unixSeconds } from './fields.ts'

export const qr = z
  .object({
    qr: z.string().min(1).max(1024).describe("The QR code's text."),
    amount: amount.describe("What is to be paid, in the currency's own unit."),
    bill: z.string().max(64).describe('The bill that it is for.'),
    exp: unixSeconds.describe('The last second in which it may be shown.'),
  })
  .describe('A dynamic QR code to show until `exp`, `clear`, or its payment. A newer one replaces it.')
