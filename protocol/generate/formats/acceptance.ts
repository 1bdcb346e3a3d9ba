import { z } from 'zod'
import { ack, reasonCode } from '../../messages/ack.ts'
import { amount, commandId, language, number, sid, unixSeconds } from '../../messages/fields.ts'

/** The format of acceptance.json: what a device must do about one event, given what it knows. Flat on purpose. */

const frameText = z.string().describe('The payload as text')
const frameBase64 = z.string().describe('The payload, byte for byte, in base64 (RFC 4648, 4, with padding)')

const codeOnScreen = z.strictObject({ code: z.string(), exp: unixSeconds })
const qrOnScreen = z.strictObject({ qr: z.string(), amount, bill: z.string(), exp: unixSeconds })
const profileOnScreen = z.strictObject({ name: z.string(), qr: z.string() })
const missedOnScreen = z.strictObject({ count: number, amount: z.string() })

const sounding = z.strictObject({ t: z.enum(['announce', 'identify']), id: commandId, n: number })
const waiting = z.strictObject({
  t: z.literal('announce'),
  id: commandId,
  n: number,
  until: unixSeconds.describe('at + ttl: the last second in which it may be spoken'),
  amount,
  lang: language,
  clips: z.string(),
})

export const deviceState = z.strictObject({
  serial: z.string(),
  key: z.string().describe('K, in base64url'),
  sid: sid.describe('The session id of the present session'),
  fw: z.string(),
  model: z.string(),
  caps: z.array(z.string()),
  languages: z.array(language).describe('The clip packs that the device has'),
  rx: z.int().describe('Bytes of the receive buffer for a whole PUBLISH'),
  display: z.enum(['works', 'broken']),
  audio: z.enum(['works', 'broken']),
  busy: z.boolean().describe('No room to take in one more sound'),
  welcomed: z.boolean().describe('The welcome of the present session has come'),
  welcomeId: commandId.nullable().describe('The id of that welcome'),
  clock: unixSeconds
    .nullable()
    .describe("The hub's clock as the device reckons it at the event; null: not known"),
  linked: z.boolean().nullable().describe('Registered with a store; null: not known'),
  played: number.describe(
    'The highest n of an announcement whose audio has ever started; kept over a power cut',
  ),
  shown: number.describe('The n of the last screen command applied in this session; 0: none'),
  identified: number.describe('The n of the last identify done in this session; 0: none'),
  settingsVer: number.describe(
    'Version of the settings in force; kept over a power cut, as are the next two',
  ),
  volume: z.int().min(0).max(100).describe('Percent; 0: muted'),
  lang: language.describe("The language of the device's own screen"),
  code: codeOnScreen.nullable(),
  qr: qrOnScreen.nullable(),
  profile: profileOnScreen.nullable(),
  missed: missedOnScreen.nullable(),
  sounding: sounding.nullable().describe('What is being heard'),
  waiting: z.array(waiting).describe('What was received and waits for its turn, first in line first'),
  failed: z
    .array(z.strictObject({ id: commandId, rc: reasonCode }))
    .describe('Commands that this device has answered with `failed`'),
  unconfirmed: z.array(ack).describe('Acks of an earlier session that had no PUBACK'),
})
export type VectorState = z.infer<typeof deviceState>

const event = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('frame'),
      frame: frameText.nullable().describe('The payload as text; null when it is not UTF-8'),
      frameBase64,
      publish: z.int().describe('Bytes of the whole PUBLISH'),
    })
    .describe('A PUBLISH has come on the down topic'),
  z.strictObject({ type: z.literal('sound_end') }).describe('What is sounding has been heard to its end'),
  z.strictObject({ type: z.literal('clock') }).describe('Time has passed: it is `before.clock`'),
  z.strictObject({ type: z.literal('suback') }).describe('Connected and subscribed as `before.sid`'),
  z.strictObject({ type: z.literal('power_cut') }).describe('Off and on again; not connected'),
])
export type VectorEvent = z.infer<typeof event>

const effect = z.discriminatedUnion('do', [
  z
    .strictObject({ do: z.literal('write'), played: number })
    .describe('`played` is on the flash, before the next effect begins'),
  z
    .strictObject({ do: z.literal('write_settings'), ver: number, volume: z.int(), lang: language })
    .describe('The settings are on the flash'),
  z
    .strictObject({ do: z.literal('speak'), n: number, lang: language, clips: z.string(), text: z.string() })
    .describe('These clips begin to sound; `text` is what a screen may show beside them'),
  z.strictObject({ do: z.literal('beep'), n: number }),
  z.strictObject({ do: z.literal('show_code'), ...codeOnScreen.shape }),
  z.strictObject({ do: z.literal('show_qr'), ...qrOnScreen.shape }),
  z.strictObject({ do: z.literal('show_profile'), ...profileOnScreen.shape }),
  z.strictObject({ do: z.literal('show_missed'), ...missedOnScreen.shape }),
  z
    .strictObject({ do: z.literal('show_paid'), bill: z.string(), amount })
    .describe('The QR on the screen gives way to "paid"'),
  z.strictObject({ do: z.literal('clear'), what: z.enum(['code', 'qr']) }),
])
export type VectorEffect = z.infer<typeof effect>

const send = z.strictObject({
  kind: z.enum(['birth', 'ack', 'settings']).describe('The last level of the up topic'),
  fields: z.record(z.string(), z.unknown()).describe('The frame without its mac'),
  frame: frameText.describe('The payload as text: its bytes are the text in UTF-8'),
})

export const acceptanceCase = z.strictObject({
  name: z.string(),
  clauses: z.array(z.string().regex(/^[0-9]+\.[0-9]+$/)).min(1),
  level: z
    .enum(['MUST', 'SHOULD'])
    .describe('SHOULD: a device with a reason may do otherwise, and says so in its documents'),
  before: deviceState,
  event,
  sends: z.array(send).describe('Expected on the up topics, in this order, telemetry aside'),
  effects: z.array(effect).describe('Expected, in this order'),
  after: deviceState.partial().describe('The state afterwards: what is not named is as before'),
})
export type AcceptanceCase = z.infer<typeof acceptanceCase>

export const acceptanceFile = z.strictObject({ about: z.string(), cases: z.array(acceptanceCase) })
