import { describe, expect, it } from 'vitest'
import { downPrefix, openFrame, publishBytes } from '../../../../protocol/frame.ts'
import { maskKey } from '../../../../protocol/keys.ts'
import { announce } from '../../../../protocol/messages/announce.ts'
import { clear } from '../../../../protocol/messages/clear.ts'
import { code } from '../../../../protocol/messages/code.ts'
import { missed } from '../../../../protocol/messages/missed.ts'
import { profile } from '../../../../protocol/messages/profile.ts'
import { qr } from '../../../../protocol/messages/qr.ts'
import { rekey } from '../../../../protocol/messages/rekey.ts'
import { settings } from '../../../../protocol/messages/settings.ts'
import { update } from '../../../../protocol/messages/update.ts'
import { welcome } from '../../../../protocol/messages/welcome.ts'
import { downTopic } from '../../../../protocol/topics.ts'
import type { CommandBody } from '../../../../server/delivery/session/command.ts'
import { writeFrame } from '../../../../server/dialects/sb1/write.ts'
import { sizeVectors } from '../../../protocol/vectors.ts'

type Row = (typeof sizeVectors.rows)[number]

const SID = '9f86d081884c7d65'
const downKey = Buffer.alloc(32, 7)
const DEVICE_KEY = Buffer.alloc(32, 9)

/** The hub's own command with the body that the row asks for. */
function bodyOf({ t, id, whole }: Row): CommandBody {
  switch (t) {
    case 'announce': {
      const { amount, lang, bill = '' } = announce.parse(whole)
      return { kind: t, amount, lang, paidBill: bill }
    }
    case 'welcome': {
      const { n: highestNumber, linked, settings: settingsVersion } = welcome.parse(whole)
      return { kind: t, highestNumber, linked, settingsVersion }
    }
    case 'code':
      return { kind: t, code: code.parse(whole).code }
    case 'qr': {
      const { qr: text, amount, bill: billNumber } = qr.parse(whole)
      return { kind: t, qr: text, amount, billNumber }
    }
    case 'profile':
      return { kind: t, ...profile.parse(whole) }
    case 'clear':
      return { kind: t, ...clear.parse(whole) }
    case 'missed':
      return { kind: t, ...missed.parse(whole) }
    case 'settings':
      return { kind: t, settings: settings.parse(whole) }
    case 'identify':
      return { kind: t }
    case 'rekey': {
      const masked = Buffer.from(rekey.parse(whole).key, 'base64url')
      return { kind: t, nextKey: Buffer.from(maskKey(DEVICE_KEY, id, masked)) }
    }
    case 'update':
      return { kind: t, offer: update.parse(whole) }
    default:
      throw new Error(`no command ${t}`)
  }
}

/** When the command expires: a code and a QR at the end of their own time. */
function expiryOf({ at, ttl, whole }: Row): number {
  const exp: unknown = Object(whole).exp
  return (typeof exp === 'number' ? exp : at + ttl) * 1_000
}

/** The frame that the hub sends to a device of the row. */
function frameOf(row: Row): Uint8Array | undefined {
  const { serial, rx, id, n: commandNumber, at } = row
  const target = { serial, sessionId: SID, downKey, deviceKey: DEVICE_KEY }
  const written = writeFrame(
    target,
    { id, commandNumber, body: bodyOf(row), expiresAt: expiryOf(row) },
    at * 1_000,
    rx,
  )
  return 'failed' in written ? undefined : written.payload
}

describe('what the hub sends, held to sizes.json', () => {
  it.each(sizeVectors.rows)('sb/1 6.3: $why: $t to $serial with rx $rx', (row) => {
    const { serial, sent } = row
    const frame = frameOf(row)
    const opened = frame && openFrame(downKey, downPrefix(serial, SID), frame)
    expect(opened?.ok ? Object(opened.body).d : null).toEqual(sent)
    expect(frame ? publishBytes(downTopic(serial), frame) : null).toBe(row.publish)
  })
})

describe('what the hub writes', () => {
  it.each(sizeVectors.rows)('sb/1 9.3: has plain integers, and no field twice: $t with rx $rx', (row) => {
    const text = frameOf(row)?.toString() ?? '{}'
    // Written again by the same writer it is the same: no field was lost by coming twice.
    expect(JSON.stringify(JSON.parse(text))).toBe(text)
    const outsideOfTexts = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
    const numbers = outsideOfTexts.match(/[-+.\dA-Za-z]+/g) ?? []
    for (const word of numbers) expect(word).toMatch(/^(0|[1-9]\d*|true|false)$/)
  })
})
