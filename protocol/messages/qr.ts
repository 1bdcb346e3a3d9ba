import { z } from 'zod'
import { amount, unixSeconds } from './fields.ts'

/** A dynamic QR code to show until `exp`, `clear`, or its payment. A newer one replaces it. */
export const qr = z.object({
  qr: z.string().min(1).max(1024),
  amount,
  bill: z.string().max(64),
  exp: unixSeconds,
})
