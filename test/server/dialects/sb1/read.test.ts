import { describe, expect, it } from 'vitest'
import { sealFrame, sealText, upPrefix } from '../../../../protocol/frame.ts'
import { deriveKeys } from '../../../../protocol/keys.ts'
import * as wire from '../../../../protocol/topics.ts'
import { Breach } from '../../../../server/delivery/dialect.ts'
import { SERIAL_PATTERN } from '../../../../server/devices/device.ts'
import { sb1 } from '../../../../server/dialects/sb1/index.ts'

const SERIAL = 'SB-0001'
const SID = '9f86d081884c7d65'
const KEY = Buffer.alloc(32, 7)
const codec = sb1.codec({ serial: SERIAL, sessionId: SID }, KEY)

function read(kind: wire.UpKind, payload: Uint8Array) {
  return codec.read({ topic: wire.upTopic(SERIAL, kind), qos: wire.UP_QOS[kind], retain: false, payload })
}

const sealed = (kind: wire.UpKind, body: object) =>
  read(kind, sealFrame(deriveKeys(KEY).up, upPrefix(SERIAL, SID, kind), body))
const plain = (kind: wire.UpKind, body: object) => read(kind, Buffer.from(JSON.stringify(body)))

describe('a birth', () => {
  it('names the languages that the hub knows, and no others', () => {
    const born = sealed('birth', { t: 'birth', sid: SID, lang: ['fr', 'en', 'vi'] })
    expect(born).toMatchObject({ kind: 'born', born: { languages: ['en', 'vi'] } })
  })

  it('closes the connection when it is of another session, or not of its schema', () => {
    expect(() => sealed('birth', { t: 'birth', sid: '0'.repeat(16) })).toThrow(Breach)
    expect(() => sealed('birth', { t: 'birth' })).toThrow(Breach)
  })
})

describe('what a device says of itself', () => {
  const born = (fields: object) => sealed('birth', { t: 'birth', sid: SID, ...fields })

  it.each([
    ['a line feed', 'SB\n1'],
    ['an escape of terminals', 'SB\u001b[2J'],
    ['a C1 control', 'SB\u009b2J'],
    ['a line separator', 'SB\u2028'],
    ['a turned direction', 'SB\u202e1'],
    ['a character without width', 'SB\u200b1'],
    ['half a character', 'SB\ud83d'],
  ])('sb/1 8.8: closes the connection at %s', (_, text) => {
    expect(() => born({ model: text })).toThrow(Breach)
    expect(() => born({ fw: text })).toThrow(Breach)
  })

  it.each(['SB-1 (rev. B)', 'Loa Phở Hạnh', '扬声器 🔊', ''])('takes %j', (text) => {
    expect(born({ model: text, fw: text })).toMatchObject({ born: { model: text, firmware: text } })
  })
})

it('sb/1 9.4: reads an integer that is written as 42.0, which devices in the field may do', () => {
  const json = JSON.stringify({ t: 'ack', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 42, st: 'played' })
  const spelled = json.replace('42,', '42.0,').slice(0, -1)
  const payload = sealText(deriveKeys(KEY).up, upPrefix(SERIAL, SID, 'ack'), spelled)
  expect(read('ack', payload)).toMatchObject({ kind: 'reached', ack: { commandNumber: 42 } })
})

describe('a will', () => {
  it('sb/1 3.3: ends the session that it names, and no other', () => {
    expect(plain('will', { sid: SID, reason: 'lost' })).toEqual({ kind: 'gone' })
    expect(plain('will', { sid: '0'.repeat(16), reason: 'lost' })).toEqual({ kind: 'ignored' })
  })
})

it.each(['ack', 'settings', 'will', 'telemetry'] as const)('%s of another schema is ignored', (kind) => {
  const body = { t: kind, battery: 'full' }
  const isPlain = kind === 'will' || kind === 'telemetry'
  expect(isPlain ? plain(kind, body) : sealed(kind, body)).toMatchObject({
    kind: 'ignored',
    why: expect.stringContaining('schema'),
  })
})

it('closes the connection of a device that publishes to the topic of another', () => {
  const topic = wire.upTopic('SB-0002', 'telemetry')
  expect(() => codec.read({ topic, qos: 0, retain: false, payload: '{}' })).toThrow(Breach)
})

it('carries every serial of the hub', () => {
  expect(wire.SERIAL_PATTERN.source).toBe(SERIAL_PATTERN.source)
})
