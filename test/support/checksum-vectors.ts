import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** protocol/vectors/checksum.json: test data for every language. No code of ours has computed it. */

/** The signed fields, in their order. */
export const SIGNED_FIELDS = [
  ...(['terminalID', 'bankCode', 'billNumber', 'transactionAmount'] as const),
  ...(['notice', 'payDate', 'traceTransfer', 'ftCode'] as const),
]

/** A callback's fields, null and absent ones included. */
export type UnsetFields = { [K in (typeof SIGNED_FIELDS)[number]]?: string | null | undefined }

const text = z.string()
const strings = z.object({
  ...{ terminalID: text, bankCode: text, billNumber: text, transactionAmount: text },
  ...{ notice: text, payDate: text, traceTransfer: text, ftCode: text },
})
const unset = z.object({
  ...{ terminalID: text, bankCode: text.nullish(), billNumber: text.nullish(), transactionAmount: text },
  ...{ notice: text.nullish(), payDate: text, traceTransfer: text.nullish(), ftCode: text.nullish() },
})
const signed = { canonical: z.string(), hex: z.string(), base64: z.string() }

export const checksumVectors = z
  .strictObject({
    about: z.string(),
    key: z.string(),
    vectors: z.array(z.strictObject({ fields: strings, ...signed })),
    unset: z.array(z.strictObject({ fields: unset, ...signed })),
    accepted: z.array(z.strictObject({ why: z.string(), fields: strings, checkSum: z.string() })),
    refused: z.array(
      z.strictObject({
        ...{ why: z.string(), fields: strings, signed: z.string() },
        ...{ checkSum: z.string(), hint: z.string() },
      }),
    ),
    wrongKeys: z.array(
      z.strictObject({
        ...{ why: z.string(), fields: strings, key: z.string() },
        ...{ checkSum: z.string(), hint: z.string() },
      }),
    ),
    otherKeys: z.array(z.strictObject({ key: z.string(), fields: strings, ...signed })),
  })
  .parse(JSON.parse(readFileSync(new URL('../../protocol/vectors/checksum.json', import.meta.url), 'utf8')))

/** All cases to sign, with null and absent fields. */
export const toBeSigned = [...checksumVectors.vectors, ...checksumVectors.unset]

const { key, vectors, otherKeys } = checksumVectors
/** The vectors with fields as strings, each with its key. */
export const signedUnderKeys = [...vectors.map((vector) => ({ key, ...vector })), ...otherKeys]
