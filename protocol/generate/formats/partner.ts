import { z } from 'zod'

/** The formats of vietqr.json and checksum.json, which hubs and partners use. */

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

const fields = z.record(z.string(), z.string())
const digests = {
  canonical: z.string().describe('The string that is signed'),
  hex: z.string(),
  base64: z.string(),
}

export const checksumFile = z.strictObject({
  about: z.string(),
  key: z.string().describe('The partner secret'),
  vectors: z.array(z.strictObject({ fields, ...digests })),
  unset: z
    .array(z.strictObject({ fields: z.record(z.string(), z.string().nullable()), ...digests }))
    .describe('Fields that are null or left out are signed as empty'),
  accepted: z
    .array(z.strictObject({ why: z.string(), fields, checkSum: z.string() }))
    .describe('Other valid spellings of a correct checksum'),
  refused: z
    .array(
      z.strictObject({
        why: z.string(),
        fields,
        signed: z.string().describe('The string that was signed instead'),
        checkSum: z.string(),
        hint: z.string().describe('The issue in `details` of the answer'),
      }),
    )
    .describe('Common mistakes'),
  wrongKeys: z
    .array(
      z.strictObject({
        why: z.string(),
        fields,
        key: z.string().describe('The wrong key under which the correct string was signed'),
        checkSum: z.string(),
        hint: z.string().describe('The issue in `details` of the answer'),
      }),
    )
    .describe('Common mistakes with the key'),
  otherKeys: z
    .array(z.strictObject({ key: z.string(), fields, ...digests }))
    .describe('Keys without the form of a partner secret. HMAC takes any text as its key'),
})
