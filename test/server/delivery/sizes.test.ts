import { describe, expect, it } from 'vitest'
import { downPrefix, openFrame, publishBytes } from '../../../protocol/frame.ts'
import { announce } from '../../../protocol/messages/announce.ts'
import { clear } from '../../../protocol/messages/clear.ts'
import { code } from '../../../protocol/messages/code.ts'
import { missed } from '../../../protocol/messages/missed.ts'
import { profile } from '../../../protocol/messages/profile.ts'
import { qr } from '../../../protocol/messages/qr.ts'
import { settings } from '../../../protocol/messages/settings.ts'
import { welcome } from '../../../protocol/messages/welcome.ts'
import { downTopic } from '../../../protocol/topics.ts'
import {
  announceCommand,
  clearCommand,
  codeCommand,
  identifyCommand,
  missedCommand,
  type Outgoing,
  profileCommand,
  qrCommand,
  settingsCommand,
  welcomeCommand,
  writeFrame,
} from '../../../server/delivery/session/command.ts'
import { sizeVectors } from '../../protocol/vectors.ts'

type Row = (typeof sizeVectors.rows)[number]

const SID = '9f86d081884c7d65'
const downKey = Buffer.alloc(32, 7)

/** The hub's own command with the body that the row asks for. */
function commandOf({ t, id, n, at, ttl, serial, whole }: Row): Outgoing {
  const now = at * 1_000
  const expiresAt = now + ttl * 1_000
  switch (t) {
    case 'announce': {
      const { amount, lang, bill = '' } = announce.parse(whole)
      const rest = { id, n, expiresAt, serial, deviceId: 'd', stage: 'queued' } as const
      return announceCommand({ ...rest, amount, lang, paidBill: bill }, undefined)
    }
    case 'welcome': {
      const body = welcome.parse(whole)
      return welcomeCommand(id, now, body.n, body.linked)
    }
    case 'code': {
      const body = code.parse(whole)
      return codeCommand(id, body.code, body.exp * 1_000, undefined)
    }
    case 'qr': {
      const { bill: billNumber, exp, ...body } = qr.parse(whole)
      return qrCommand(id, { ...body, id: 'b', billNumber, shownUntil: exp * 1_000 }, undefined)
    }
    case 'profile':
      return profileCommand(id, now, profile.parse(whole))
    case 'clear':
      return clearCommand(id, now, clear.parse(whole).what)
    case 'missed':
      return missedCommand(id, now, { announcementIds: [], ...missed.parse(whole) }, undefined)
    case 'settings':
      return settingsCommand(id, now, settings.parse(whole))
    case 'identify':
      return identifyCommand(id, expiresAt, undefined)
    default:
      throw new Error(`no command ${t}`)
  }
}

describe('what the hub sends, held to sizes.json', () => {
  it.each(sizeVectors.rows)('sb/1 6.3: $why: $t to $serial with rx $rx', (row) => {
    const { serial, rx, n, at, sent } = row
    const frame = writeFrame(commandOf(row), n, at * 1_000, { serial, sid: SID, downKey, rx })
    const opened = frame && openFrame(downKey, downPrefix(serial, SID), frame)
    expect(opened?.ok ? Object(opened.body).d : null).toEqual(sent)
    expect(frame ? publishBytes(downTopic(serial), frame) : null).toBe(row.publish)
  })
})

describe('what the hub writes', () => {
  it.each(sizeVectors.rows)('sb/1 9.3: has plain integers, and no field twice: $t with rx $rx', (row) => {
    const { serial, rx, n, at } = row
    const text =
      writeFrame(commandOf(row), n, at * 1_000, { serial, sid: SID, downKey, rx })?.toString() ?? '{}'
    // Written again by the same writer it is the same: no field was lost by coming twice.
    expect(JSON.stringify(JSON.parse(text))).toBe(text)
    const outsideOfTexts = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
    const numbers = outsideOfTexts.match(/[-+.\dA-Za-z]+/g) ?? []
    for (const word of numbers) expect(word).toMatch(/^(0|[1-9]\d*|true|false)$/)
  })
})
