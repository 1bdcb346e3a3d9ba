import * as z from 'zod'

export const profile = z
  .object({
    name: z.string().max(128).describe("The shop's name."),
    qr: z
      .string()
      .max(1024)
      .describe(
        "The text of the shop's static QR code. Empty if the shop has none, it does not fit the device, or the device is locked.",
      ),
    locked: z
      .boolean()
      .optional()
      .describe('True if the partner has locked the device (sb/1 6.7). Left out otherwise.'),
  })
  .describe('The idle screen. Both fields are empty if the device is not registered.')
