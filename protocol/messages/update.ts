import * as z from 'zod'

/** Every offer within these limits fits 512 bytes, whatever the serial: vectors/sizes.json shows it. */
export const update = z
  .object({
    fw: z
      .string()
      .regex(/^[A-Za-z0-9._+-]{1,32}$/)
      .describe('The version of the firmware. The birth of a device that runs it has the same `fw`.'),
    url: z
      .string()
      .max(112)
      .regex(/^https?:\/\/[!#-[\]-~]+$/)
      .describe('Where the image is, in ASCII.'),
    size: z.int().min(1).max(0xffff_ffff).describe('The length of the image.').meta({ unit: 'bytes' }),
    sha256: z
      .string()
      .regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/)
      .describe('The SHA-256 of the image, as 32 bytes in base64url.'),
    sig: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,88}$/)
      .optional()
      .describe("The maker's signature in base64url. Left out if it is part of the image."),
  })
  .describe('An offer of firmware. The device decides. Sent only to a device with the capability `update`.')
export type Update = z.infer<typeof update>
