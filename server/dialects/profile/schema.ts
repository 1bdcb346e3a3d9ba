import { z } from 'zod'
import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'

/*
 * A profile is the data of one model of boxes. docs/boxes.md describes how to write one.
 */

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits or hyphens')
  .describe('1 to 32 lower-case letters, digits or hyphens.')

/** Text of MQTT names and topics. Wildcards would reach other boxes. */
const template = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^+#\p{Cc}]*$/u, 'must have no + and no #: they would reach other boxes')

const byLanguage = <T extends z.ZodType>(value: T) => z.partialRecord(z.enum(LANGUAGES), value)

const common = {
  name,
  about: z.string().max(500).optional().describe('Which boxes this is for, and what is known of them.'),
  wireId: template.describe(
    'The MQTT client id or username of the box. {serial} stands for its serial, {productKey} for the key below.',
  ),
  productKey: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,32}$/)
    .optional()
    .describe("The maker's public name of the product."),
  login: z
    .strictObject({
      password: z
        .union(
          [
            z.literal('minted').describe('The hub makes the password. It is written into the box.'),
            z.literal('given').describe('The operator gives the password that is in the box.'),
            z.literal('serial').describe('The serial is the password. Anybody can read it on the box.'),
            z
              .strictObject({ hmac: z.enum(['morefun', 'alink']) })
              .describe("Computed from a secret by the maker's formula."),
          ],
          { error: 'must be "minted", "given", "serial", {"hmac":"morefun"} or {"hmac":"alink"}' },
        )
        .describe('Where the password of a box comes from.'),
      shared: z
        .boolean()
        .optional()
        .describe('Many boxes have the same password: a login proves nothing about one.'),
      maxBytes: z.int().min(4).max(256).optional().describe('The longest client id, username and password.'),
    })
    .describe('How a box logs in.'),
  topics: z.strictObject({
    down: template.describe('The topic on which the box hears. {serial} and {productKey} as in `wireId`.'),
    up: template
      .optional()
      .describe('The topic on which the box publishes. The hub reads every topic; this is for people.'),
  }),
  languages: z.array(z.enum(LANGUAGES)).min(1).describe('The languages that the box speaks.'),
  currency: z
    .strictObject({
      code: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, as VND')
        .describe('The currency that the box says, as an ISO 4217 code.'),
      words: byLanguage(z.string().max(32)).describe('What the box says after an amount, by language.'),
    })
    .describe('A box that says another currency tells the shop a wrong amount.'),
  bufferBytes: z
    .int()
    .min(64)
    .max(65_536)
    .describe("Bytes of the box's receive buffer, for a whole PUBLISH."),
  maxAmount: z
    .string()
    .regex(AMOUNT_PATTERN, 'must be a text of 1 to 13 digits, as "9999999"')
    .describe('The highest amount that the box says, in đồng.'),
  pairing: z
    .enum(['screen', 'spoken', 'qr', 'label'])
    .describe(
      'How a shop gets the verification code: on the screen, spoken, as a QR, or from the printed label.',
    ),
  speech: z
    .strictObject({
      msPerClip: z.int().min(50).max(5_000).describe('The longest time that a word takes, in milliseconds.'),
      pauseMs: z.int().min(0).max(60_000).describe('The rest after a sentence, in milliseconds.'),
    })
    .describe('How long the box speaks. The next announcement waits for it.'),
}

const hemipay = z.strictObject({
  dialect: z.literal('hemipay'),
  ...common,
  screen: z
    .strictObject({
      qrHeight: z.int().min(60).max(210).describe('Pixels of a QR.'),
      labelHeight: z.int().min(8).max(96).describe('Pixels of a line of text.'),
      color: z
        .string()
        .regex(/^[0-9A-F]{6}$/, 'must be six hexadecimal digits in upper case, as FF0000')
        .describe('Colour of a line of text: RRGGBB.'),
    })
    .optional()
    .describe('Left out for a box without a screen.'),
  keypad: z.boolean().describe('Whether the box has keys for an amount.'),
  silentZero: z
    .boolean()
    .describe('A payment of 0 closes the QR and makes no sound. False where nobody has heard it.'),
  played: z
    .array(z.string().min(1).max(32))
    .describe(
      'The values of `play_status` or `response_status` that this firmware reports at the end of the sound.',
    ),
})

/** Any JSON value. Texts may have placeholders. */
export type Template = string | number | boolean | null | Template[] | { [name: string]: Template }
const json: z.ZodType<{ [name: string]: Template }> = z.record(z.string(), z.json())
const field = z.string().min(1).max(64)

export const pack = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .describe('The currency that the clips say, as an ISO 4217 code.'),
  clips: byLanguage(
    z.record(z.string(), z.string().regex(/^[0-9]{3}$/, 'must be three digits, as "100"')),
  ).describe("The number in the box of each of the protocol's clips, by language."),
  forbidden: z.array(z.int().min(0).max(999)).describe('Numbers of system sounds. They are never sent.'),
})
export type Pack = z.infer<typeof pack>

const oneway = z.strictObject({
  dialect: z.literal('oneway'),
  ...common,
  pack: z
    .union([z.string(), pack])
    .optional()
    .describe('The clips by number: the name of a shipped pack, or a pack.'),
  limits: z
    .record(z.string(), z.int().min(1).max(4_096))
    .optional()
    .describe("The maker's buffers, in bytes of the text of a placeholder."),
  announce: z
    .array(z.strictObject({ upTo: common.maxAmount.optional(), json }))
    .min(1)
    .describe('The messages of a payment. The first one whose `upTo` is not below the amount is sent.'),
  code: json.optional().describe('The message of a verification code.'),
  qr: json.optional().describe('The message that shows the QR of a bill.'),
  ping: z
    .strictObject({ everySeconds: z.int().min(30).max(3_600), json })
    .optional()
    .describe('A question for a sign of life.'),
  telemetry: z
    .strictObject({
      battery: z
        .strictObject({ field, emptyMillivolts: z.int().min(0), fullMillivolts: z.int().min(1) })
        .optional(),
      signal: z.strictObject({ field, unit: z.enum(['dBm', 'csq']) }).optional(),
    })
    .optional()
    .describe('The fields of what the box publishes.'),
})

const alink = z.strictObject({
  dialect: z.literal('alink'),
  ...common,
  format: z.enum(['wav', 'mp3', 'amr']).describe('The format of the sound files in the box.'),
  clip: z
    .string()
    .regex(/^[A-Za-z0-9_{}-]{6,64}$/, 'must be a file name with {clip} in it')
    .describe("The name of a sound file. {clip} stands for the protocol's clip, {lang} for its language."),
})

export const profileSchema = z.discriminatedUnion('dialect', [hemipay, oneway, alink], {
  error: 'must name a dialect: hemipay, oneway or alink',
})
export type Profile = z.infer<typeof profileSchema>
export type HemipayProfile = z.infer<typeof hemipay>
export type OnewayProfile = z.infer<typeof oneway>
export type AlinkProfile = z.infer<typeof alink>
