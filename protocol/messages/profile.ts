import { z } from 'zod'

/** The idle screen. Both fields are empty when the device is not registered. */
export const profile = z.object({
  /** The shop's name. */
  name: z.string().max(128),
  /** The text of the shop's static QR code; empty when it has none or it does not fit the device. */
  qr: z.string().max(1024),
})
