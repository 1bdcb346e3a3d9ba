import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandRegistry, type CommandSpec } from '../../../protocol/conformance/hub/commands.ts'
import { FORGERIES, forge } from '../../../protocol/conformance/hub/forge.ts'
import { PacketSplitter } from '../../../protocol/conformance/wire/split.ts'
import { downPrefix, openFrame, publishBytes } from '../../../protocol/frame.ts'
import { COMMANDS, parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic } from '../../../protocol/topics.ts'
import { KEYS, SERIAL } from './support/device-under-test.ts'

const SID = '9f86d081884c7d65'
const SEAL = { keys: KEYS, serial: SERIAL, sid: SID, earlierSid: 'feedfacecafebeef' }
const MOMENT = {
  seal: SEAL,
  now: 1_763_678_400,
  lang: 'vi',
  from: 0,
  maskedKey: () => 'A'.repeat(43),
} as const

const open = (frame: Buffer) => openFrame(KEYS.down, downPrefix(SERIAL, SID), frame)
const make = (order: CommandSpec) => new CommandRegistry().create(order, MOMENT).frame

describe('a command of the kit', () => {
  it.each(Object.keys(COMMANDS))('is valid for a device: %s', (t) => {
    const opened = open(make({ t }))
    expect(opened.ok && parseCommand(opened.body)).toMatchObject({ kind: 'command', command: { t } })
  })

  it.each(['announce', 'qr'])('is the same command in another spelling: %s', (t) => {
    const opened = open(make({ t, spelled: 'otherwise' }))
    expect(opened.ok && parseCommand(opened.body)).toMatchObject({ kind: 'command', command: { t } })
  })

  it.each(FORGERIES)('fails verification when it is forged: %s', (forgery) => {
    const body = { t: 'announce', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 7, at: 1, ttl: 2, d: { amount: '1' } }
    expect(open(forge(forgery, SEAL, body))).toMatchObject({ ok: false })
  })

  it('fills a buffer of any size to its last byte', () => {
    fc.assert(
      // No PUBLISH has 16,387 bytes: at this size the fixed header grows by one.
      fc.property(
        fc.integer({ min: 260, max: 20_000 }).filter((bytes) => bytes !== 16_387),
        (bytes) => {
          const frame = make({ t: 'clear', fillBytes: bytes })
          expect(publishBytes(downTopic(SERIAL), frame)).toBe(bytes)
          expect(open(frame).ok).toBe(true)
        },
      ),
    )
  })

  it('omits, adds and replaces fields as the case says', () => {
    const opened = open(
      make({ t: 'announce', without: ['id', 'd.clips'], with: { trace: 'x' }, d: { amount: '7' } }),
    )
    expect(opened).toMatchObject({ ok: true, body: { t: 'announce', n: 1, trace: 'x', d: { amount: '7' } } })
    expect(opened.ok && Object.keys(Object(opened.body))).not.toContain('id')
    expect(JSON.stringify(opened)).not.toContain('clips')
  })

  it('has a number above all earlier ones and above `played`, with a gap on request', () => {
    const commands = new CommandRegistry()
    commands.startAbove(41, 3)
    const numbers = [{}, { n: 'skip' as const }, { n: 43 }, {}].map(
      (order) => commands.create({ t: 'clear', ...order }, MOMENT).n,
    )
    expect(numbers).toEqual([42, 44, 43, 45])
    expect(commands.create({ t: 'settings' }, MOMENT).d).toMatchObject({ ver: 4 })
  })
})

describe('a byte stream', () => {
  const packet = fc
    .uint8Array({ maxLength: 300 })
    .map((payload) =>
      Buffer.concat([
        Buffer.from(
          payload.length < 128
            ? [0x30, payload.length]
            : [0x30, (payload.length & 0x7f) | 0x80, payload.length >> 7],
        ),
        payload,
      ]),
    )

  it('is split into its packets, for any segmentation', () => {
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 97 })),
        (packets, sizes) => {
          const splitter = new PacketSplitter()
          let rest = Buffer.concat(packets)
          const found: Buffer[] = []
          for (const size of [...sizes, rest.length]) {
            found.push(...splitter.push(rest.subarray(0, size)).packets)
            rest = rest.subarray(size)
          }
          expect(Buffer.concat(found)).toEqual(Buffer.concat(packets))
          expect(found.map(({ length }) => length)).toEqual(packets.map(({ length }) => length))
        },
      ),
    )
  })

  it.each([
    ['a length of five bytes', [0x30, 0xff, 0xff, 0xff, 0xff], /malformed/],
    ['a packet that would never end', [0x30, 0xff, 0xff, 0xff, 0x7f], /65536 at most/],
  ])('is rejected at %s', (_what, bytes, reason) => {
    expect(new PacketSplitter().push(Buffer.from(bytes)).broken).toMatch(reason)
  })
})
