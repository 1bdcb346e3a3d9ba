import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The shared vectors, read and typed. They are data for every language: nothing here is computed by our code. */

const sealed = z.object({
  serial: z.string(),
  sid: z.string(),
  direction: z.enum(['down', 'up']),
  frame: z.string(),
})

export const frameVectors = read(
  'frame',
  z.object({
    keys: z.array(
      z.object({
        serial: z.string(),
        key: z.string(),
        keyHex: z.string(),
        loginHex: z.string(),
        downHex: z.string(),
        upHex: z.string(),
        password: z.string(),
      }),
    ),
    frames: z.array(
      sealed.extend({
        kind: z.enum(['birth', 'will', 'ack', 'telemetry', 'settings']).nullable(),
        prefix: z.string(),
        signed: z.string(),
        mac: z.string(),
        bytes: z.int(),
      }),
    ),
    refused: z.array(sealed.extend({ why: z.string() })),
  }),
)

export const vietQrVectors = read(
  'vietqr',
  z.object({
    valid: z.array(
      z.object({
        from: z.string(),
        payload: z.string(),
        initiation: z.enum(['11', '12']),
        bin: z.string(),
        account: z.string(),
        amount: z.string().optional(),
        bill: z.string().optional(),
      }),
    ),
    invalid: z.array(z.object({ why: z.string(), payload: z.string() })),
  }),
)

const words = z.record(z.string(), z.string())
export const amountWords = read('amount-words', z.object({ vi: words, en: words }))

function read<T>(name: string, schema: z.ZodType<T>): T {
  const file = new URL(`../../protocol/vectors/${name}.json`, import.meta.url)
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
}
