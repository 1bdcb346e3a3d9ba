import { z } from 'zod'
import { ack, reasonCode } from '../../messages/ack.ts'
import { amount, commandId, language, number, sid, unixSeconds } from '../../messages/fields.ts'

/** The format of acceptance.json: how a device must react to one event in a given state. */

const frameText = z.string().describe('The payload as text')
const frameBase64 = z.string().describe('The payload, byte for byte, in base64 (RFC 4648, 4, with padding)')

const codeOnScreen = z.strictObject({ code: z.string(), exp: unixSeconds })
const qrOnScreen = z.strictObject({ qr: z.string(), amount, bill: z.string(), exp: unixSeconds })
const profileOnScreen = z.strictObject({ name: z.string(), qr: z.string(), locked: z.boolean().optional() })
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
  key: z.string().describe('The K of the session, in base64url'),
  nextKey: z
    .string()
    .nullable()
    .describe(
      'The K of the last `rekey`, kept across power cuts until a welcome has confirmed it; the same as `key` in a session under it; null: none',
    ),
  sid: sid.describe('The session id of the current session'),
  fw: z.string(),
  model: z.string(),
  caps: z.array(z.string()),
  languages: z.array(language).describe('The clip packs that the device has'),
  rx: z.int().describe('Bytes of the receive buffer for a whole PUBLISH'),
  display: z.enum(['works', 'broken']),
  audio: z.enum(['works', 'broken']),
  busy: z.boolean().describe('There is no room for another sound'),
  welcomed: z.boolean().describe('The device has received the welcome of the current session'),
  welcomeN: number.nullable().describe('The n of the last welcome obeyed in the session; null: none'),
  clock: unixSeconds.nullable().describe("The device's value of the hub's clock at the event; null: unknown"),
  linked: z.boolean().nullable().describe('Registered with a store; null: unknown'),
  played: number.describe(
    'The highest n of all announcements whose audio has started; kept across power cuts',
  ),
  shown: number.describe('The n of the last screen command applied in this session; 0: none'),
  identified: number.describe('The n of the last identify done in this session; 0: none'),
  settingsVer: number.describe('Version of the current settings; kept across power cuts, like the next two'),
  volume: z.int().min(0).max(100).describe('Percent; 0: muted'),
  lang: language.describe("The language of the device's screen"),
  code: codeOnScreen.nullable(),
  qr: qrOnScreen.nullable(),
  profile: profileOnScreen.nullable(),
  missed: missedOnScreen.nullable(),
  sounding: sounding.nullable().describe('The current sound'),
  waiting: z
    .array(waiting)
    .describe('Received announcements that wait, in the order in which they will be spoken'),
  failed: z
    .array(z.strictObject({ id: commandId, rc: reasonCode }))
    .describe('Commands that this device has answered with `failed`'),
  unconfirmed: z
    .array(ack)
    .describe('Acks that had no PUBACK: of an earlier session, or under way in this one'),
})
export type VectorState = z.infer<typeof deviceState>

const event = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('frame'),
      frame: frameText.nullable().describe('The payload as text; null if it is not UTF-8'),
      frameBase64,
      publish: z.int().describe('Bytes of the whole PUBLISH'),
    })
    .describe('A PUBLISH has arrived on the down topic'),
  z.strictObject({ type: z.literal('sound_end') }).describe('The current sound has ended'),
  z.strictObject({ type: z.literal('clock') }).describe('Time has passed; it is now `before.clock`'),
  z.strictObject({ type: z.literal('suback') }).describe('Connected and subscribed as `before.sid`'),
  z
    .strictObject({ type: z.literal('power_cut') })
    .describe('The power was switched off and on again; not connected'),
])
export type VectorEvent = z.infer<typeof event>

const effect = z.discriminatedUnion('do', [
  z
    .strictObject({ do: z.literal('write'), played: number })
    .describe('`played` is in flash before the next effect starts'),
  z
    .strictObject({ do: z.literal('write_settings'), ver: number, volume: z.int(), lang: language })
    .describe('The settings are in flash'),
  z
    .strictObject({ do: z.literal('write_keys'), key: z.string(), nextKey: z.string().nullable() })
    .describe('Both keys are in flash before the ack; nextKey is null if `key` is the only one'),
  z
    .strictObject({ do: z.literal('speak'), n: number, lang: language, clips: z.string(), text: z.string() })
    .describe('These clips start to sound; a screen may show `text` at the same time'),
  z.strictObject({ do: z.literal('beep'), n: number }),
  z.strictObject({ do: z.literal('show_code'), ...codeOnScreen.shape }),
  z.strictObject({ do: z.literal('show_qr'), ...qrOnScreen.shape }),
  z.strictObject({ do: z.literal('show_profile'), ...profileOnScreen.shape }),
  z.strictObject({ do: z.literal('show_missed'), ...missedOnScreen.shape }),
  z
    .strictObject({ do: z.literal('show_paid'), bill: z.string(), amount })
    .describe('The screen shows "paid" in place of the QR'),
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
    .describe('SHOULD: a device may differ for a good reason, which its documentation states'),
  before: deviceState,
  event,
  sends: z.array(send).describe('Expected on the up topics in this order, without telemetry'),
  effects: z.array(effect).describe('Expected, in this order'),
  after: deviceState.partial().describe('The state afterwards; fields that are left out are unchanged'),
})
export type AcceptanceCase = z.infer<typeof acceptanceCase>

export const acceptanceFile = z.strictObject({ about: z.string(), cases: z.array(acceptanceCase) })
