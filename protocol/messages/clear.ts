import { z } from 'zod'

export const clear = z
  .object({
    what: z.enum(['code', 'qr']).describe('What goes.'),
  })
  .describe('Takes a code or a dynamic QR off the screen; without one there it changes nothing.')
