import * as z from 'zod'

export const clear = z
  .object({
    what: z.enum(['code', 'qr']).describe('What to remove.'),
  })
  .describe('Removes the code or the dynamic QR from the screen. If there is none, nothing changes.')
