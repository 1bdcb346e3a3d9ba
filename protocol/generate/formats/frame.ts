import { z } from 'zod'
import { sid } from '../../messages/fields.ts'

/** The format of frame.json: keys, frames, and frames that must be refused. */

const hex32 = z.string().regex(/^[0-9a-f]{64}$/)

const sealed = z.strictObject({
  serial: z.string(),
  sid,
  direction: z.enum(['down', 'up']),
  frame: z.string().describe('The exact payload'),
})

export const frameFile = z.strictObject({
  about: z.string(),
  keys: z.array(
    z.strictObject({
      serial: z.string(),
      key: z.string().describe('K, in base64url'),
      keyHex: hex32,
      loginHex: hex32,
      downHex: hex32,
      upHex: hex32,
      password: z.string().describe('The MQTT password'),
      proof: z.string().describe('The proof of possession (sb/1 2.5)'),
    }),
  ),
  rekeys: z
    .array(
      z.strictObject({
        serial: z.string(),
        key: z.string().describe('The K of the session, in base64url'),
        id: z.string().describe('The id of the command'),
        padHex: hex32,
        next: z.string().describe('The next K, in base64url'),
        masked: z.string().describe('`d.key` of the command'),
      }),
    )
    .describe('New keys on their way to a device (sb/1 2.6)'),
  frames: z.array(
    sealed.extend({
      kind: z
        .enum(['birth', 'will', 'ack', 'telemetry', 'settings'])
        .nullable()
        .describe('The last level of the up topic; null for a command'),
      prefix: z.string(),
      signed: z.string().describe('The frame before its last 32 bytes'),
      mac: z.string(),
      bytes: z.int().describe('Bytes of the payload'),
    }),
  ),
  refused: z.array(sealed.extend({ why: z.string() })),
})
