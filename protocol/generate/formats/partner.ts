import { z } from 'zod'

/** The formats of vietqr.json and checksum.json: what hubs and partners share. */

export const vietQrFile = z.strictObject({
  about: z.string(),
  valid: z.array(
    z.strictObject({
      from: z.string(),
      payload: z.string(),
      initiation: z.enum(['11', '12']),
      bin: z.string(),
      account: z.string(),
      amount: z.string().optional(),
      bill: z.string().optional(),
    }),
  ),
  invalid: z.array(z.strictObject({ why: z.string(), payload: z.string() })),
})

export const checksumFile = z.strictObject({
  about: z.string(),
  key: z.string().describe('The partner secret'),
  vectors: z.array(
    z.strictObject({
      fields: z.record(z.string(), z.string()),
      canonical: z.string().describe('The string that is signed'),
      hex: z.string(),
      base64: z.string(),
    }),
  ),
})
