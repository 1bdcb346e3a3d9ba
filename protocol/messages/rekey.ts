import * as z from 'zod'

export const rekey = z
  .object({
    key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/)
      .describe('The next K, XORed with the pad of this command, as 32 bytes in base64url (sb/1 2.6).'),
  })
  .describe('A new key for the device. Sent only to a device with the capability `rekey`.')
