import { toBase64url } from '#platform'
import { downPrefix, publishBytes, sealFrame } from '../../../protocol/frame.ts'
import { maskKey } from '../../../protocol/keys.ts'
import type { CommandType, CommandBody as WireBody } from '../../../protocol/messages/command.ts'
import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import { announcementClips } from '../../../protocol/money/sentence.ts'
import { downTopic } from '../../../protocol/topics.ts'
import type { CommandBody } from '../../delivery/session/command.ts'
import type { Outgoing, Sending } from '../../delivery/session/ports.ts'
import { SHORT_NAMES } from './limits.ts'

/** Who reads the frames. */
export interface Target {
  serial: string
  sessionId: string
  downKey: Uint8Array
  /** K. */
  deviceKey: Uint8Array
}

/**
 * Writes the frame of one sending. `at`, `ttl` and the MAC are new at each sending (sb/1 6.1), and the command still
 * ends at the same moment (sb/1 11.4). Takes the first form of the body that fits the device's buffer (sb/1 6.3).
 */
export function writeFrame(
  { serial, sessionId, downKey, deviceKey }: Target,
  { id, commandNumber: n, body, expiresAt }: Sending,
  now: number,
  bufferBytes: number,
): Outgoing | { failed: 'too_large' } {
  const at = toUnixSeconds(now)
  const exp = toUnixSeconds(expiresAt)
  const topic = downTopic(serial)
  for (const d of formsOf(body, { at, exp, mask: (key) => toBase64url(maskKey(deviceKey, id, key)) })) {
    const message = { t: body.kind, id, n, at, ttl: exp - at, d }
    const payload = sealFrame(downKey, downPrefix(serial, sessionId), message)
    if (publishBytes(topic, payload) <= bufferBytes) return { topic, payload }
  }
  return { failed: 'too_large' }
}

/** The body on the wire, the largest form first. `at` and `exp` are Unix seconds, `mask` hides a key (sb/1 2.6). */
function formsOf(
  body: CommandBody,
  { at, exp, mask }: { at: number; exp: number; mask: (key: Buffer) => string },
): readonly WireBody<CommandType>[] {
  switch (body.kind) {
    case 'welcome': {
      const welcome = { now: at, n: body.highestNumber, linked: body.linked }
      return body.settingsVersion === undefined
        ? [welcome]
        : [{ ...welcome, settings: body.settingsVersion }, welcome]
    }
    case 'profile': {
      const { name, qr, locked } = body
      const names = [name, ...SHORT_NAMES.map((length) => [...name].slice(0, length).join(''))]
      const withoutQr = names.map((text) => ({ name: text, qr: '' }))
      // Even where `locked` does not fit, the QR goes.
      if (locked) return [...withoutQr.map((form) => ({ ...form, locked })), ...withoutQr]
      return [{ name, qr }, ...withoutQr]
    }
    case 'code':
      return [{ code: body.code, exp }]
    case 'announce': {
      const { amount, lang, paidBill } = body
      const spoken = { amount, currency: 'VND', lang, clips: announcementClips(lang, amount) }
      return paidBill === '' ? [spoken] : [{ ...spoken, bill: paidBill }, spoken]
    }
    case 'qr':
      return [{ qr: body.qr, amount: body.amount, bill: body.billNumber, exp }]
    case 'clear':
      return [{ what: body.what }]
    case 'missed':
      return [{ count: body.count, amount: body.amount }]
    case 'settings':
      return [body.settings]
    case 'identify':
      return [{}]
    case 'rekey':
      return [{ key: mask(body.nextKey) }]
    case 'update':
      return [body.offer]
  }
}
