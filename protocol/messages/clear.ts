import { z } from 'zod'

/** Takes a code or a dynamic QR off the screen; without one there it changes nothing. */
export const clear = z.object({
  what: z.enum(['code', 'qr']),
})
