import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf } from '#platform'
import { downPrefix, openFrame, parsePlain, publishBytes, sealFrame, upPrefix } from '../../protocol/frame.ts'
import { deriveKeys } from '../../protocol/keys.ts'
import { ack } from '../../protocol/messages/ack.ts'
import { birth } from '../../protocol/messages/birth.ts'
import { parseCommand } from '../../protocol/messages/command.ts'
import { downTopic } from '../../protocol/topics.ts'
import { frameVectors } from './vectors.ts'

const key = Buffer.alloc(32, 7)
const prefix = downPrefix('SPK-1', '9f86d081884c7d65')
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A body as JSON.parse returns it, without values that JSON can't express. `__proto__` would not be a field. */
const body = fc
  .dictionary(
    fc.string().filter((name) => name !== '__proto__' && name !== 'mac'),
    fc.jsonValue(),
    {
      minKeys: 1,
      maxKeys: 6,
    },
  )
  .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)))

function keysOf(serial: string) {
  const vector = frameVectors.keys.find((candidate) => candidate.serial === serial)
  if (!vector) throw new Error(`no key vector for ${serial}`)
  return deriveKeys(Buffer.from(vector.keyHex, 'hex'))
}

describe('a frame from another implementation', () => {
  it.each(frameVectors.frames)(
    'sb/1 5.1, sb/1 5.2: $direction $kind: is sealed to the same bytes, and opens',
    (vector) => {
      const { serial, sid, direction, kind } = vector
      const ours = direction === 'down' ? downPrefix(serial, sid) : upPrefix(serial, sid, kind ?? 'ack')
      expect(ours).toBe(vector.prefix)
      const fields = JSON.parse(`${vector.signed}}`)
      const sealed = sealFrame(keysOf(serial)[direction], ours, fields)
      expect(textOf(sealed)).toBe(vector.frame)
      expect(sealed.length).toBe(vector.bytes)
      expect(openFrame(keysOf(serial)[direction], ours, Buffer.from(vector.frame))).toEqual({
        ok: true,
        body: { ...fields, mac: vector.mac },
      })
    },
  )

  it('is there with every length that a block of SHA-256 can end with', () => {
    const ends = frameVectors.frames.map(({ prefix, signed }) => Buffer.byteLength(prefix + signed) % 64)
    expect(new Set(ends).size).toBe(64)
  })

  it.each(frameVectors.refused)(
    'sb/1 5.2, sb/1 5.3: is refused: $why',
    ({ serial, sid, direction, frame }) => {
      const ours = direction === 'down' ? downPrefix(serial, sid) : upPrefix(serial, sid, 'ack')
      const opened = openFrame(keysOf(serial)[direction], ours, Buffer.from(frame))
      expect(opened).toMatchObject({ ok: false, reason: expect.stringMatching(/^(no|bad)_mac$/) })
    },
  )

  it.each(frameVectors.frames.filter(({ direction }) => direction === 'down'))(
    'down: is a command that we know: $signed',
    ({ serial, prefix, frame }) => {
      const opened = openFrame(keysOf(serial).down, prefix, Buffer.from(frame))
      const { t, id, n, at, ttl, d } = JSON.parse(frame)
      expect(parseCommand(opened.ok ? opened.body : undefined)).toEqual({
        kind: 'command',
        command: { t, id, n, at, ttl, d },
      })
    },
  )

  it.each(frameVectors.frames.filter(({ direction }) => direction === 'up'))(
    'up: is a message that we know: $signed',
    ({ kind, frame }) => {
      const { mac: _, ...fields } = JSON.parse(frame)
      expect((kind === 'birth' ? birth : ack).parse(JSON.parse(frame))).toEqual(fields)
    },
  )
})

describe('a frame', () => {
  it('opens to the sealed body', () => {
    fc.assert(
      fc.property(body, (fields) => {
        const opened = openFrame(key, prefix, sealFrame(key, prefix, fields))
        expect(opened).toMatchObject({ ok: true, body: fields })
      }),
    )
  })

  it('is refused with any one bit flipped', () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.nat(7), (fields, position, bit) => {
        const frame = Buffer.from(sealFrame(key, prefix, fields))
        const at = position % frame.length
        frame.writeUInt8(frame.readUInt8(at) ^ (1 << bit), at)
        expect(openFrame(key, prefix, frame).ok).toBe(false)
      }),
    )
  })

  it('is refused if it is truncated or extended at either end', () => {
    const frame = sealFrame(key, prefix, { t: 'identify' })
    for (let length = 0; length < frame.length; length++) {
      expect(openFrame(key, prefix, frame.subarray(0, length)).ok).toBe(false)
      expect(openFrame(key, prefix, frame.subarray(frame.length - length)).ok).toBe(false)
    }
    expect(openFrame(key, prefix, Buffer.concat([frame, Buffer.from(' ')])).ok).toBe(false)
    expect(openFrame(key, prefix, Buffer.concat([Buffer.from(' '), frame])).ok).toBe(false)
  })

  it('sb/1 5.2: is refused with its MAC in another spelling of the same 16 bytes', () => {
    const frame = textOf(sealFrame(key, prefix, { t: 'identify' }))
    const last = frame.length - 3
    const opens = [...BASE64URL].filter(
      (letter) => openFrame(key, prefix, Buffer.from(`${frame.slice(0, last)}${letter}"}`)).ok,
    )
    expect(opens).toEqual([frame.charAt(last)])
  })

  it('is refused under another key, serial, session, direction or kind', () => {
    const sid = '9f86d081884c7d65'
    const up = upPrefix('SPK-1', sid, 'ack')
    const frame = sealFrame(key, up, { t: 'ack' })
    expect(openFrame(key, up, frame).ok).toBe(true)
    for (const other of [
      upPrefix('SPK-2', sid, 'ack'),
      upPrefix('SPK-1', '9f86d081884c7d66', 'ack'),
      upPrefix('SPK-1', sid, 'settings'),
      downPrefix('SPK-1', sid),
    ])
      expect(openFrame(key, other, frame)).toEqual({ ok: false, reason: 'bad_mac' })
    expect(openFrame(Buffer.alloc(32, 8), up, frame)).toEqual({ ok: false, reason: 'bad_mac' })
  })

  it('never throws on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(openFrame(key, prefix, Buffer.from(bytes)).ok).toBe(false)
        expect(() => parsePlain(Buffer.from(bytes))).not.toThrow()
      }),
    )
  })

  it('can not be sealed without a field', () => {
    expect(() => sealFrame(key, prefix, {})).toThrow(RangeError)
  })
})

describe('a plain payload', () => {
  it('opens if it is a JSON object', () => {
    expect(parsePlain(Buffer.from('{"sid":"x"}'))).toEqual({ ok: true, body: { sid: 'x' } })
  })

  it.each(['', 'null', '[]', '1', '"a"', '{', '{"a":1}x'])('is refused otherwise: %j', (text) => {
    expect(parsePlain(Buffer.from(text))).toEqual({ ok: false, reason: 'bad_json' })
  })
})

describe('publishBytes', () => {
  // MQTT 3.1.1, 2.2.3: the remaining length takes a second byte from 128 on, a third from 16 384.
  it.each([
    [127, 129],
    [128, 131],
    [16_383, 16_386],
    [16_384, 16_388],
    [2_097_151, 2_097_155],
    [2_097_152, 2_097_157],
  ])('counts %i bytes after the fixed header as %i', (remaining, whole) => {
    const topic = downTopic('SPK-1')
    expect(publishBytes(topic, Buffer.alloc(remaining - topic.length - 4))).toBe(whole)
  })
})
