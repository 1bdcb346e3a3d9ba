import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publishBytes } from '../../../../protocol/frame.ts'
import { LANGUAGES } from '../../../../protocol/money/language.ts'
import { announcementClips } from '../../../../protocol/money/sentence.ts'
import type { CommandBody } from '../../../../server/delivery/session/command.ts'
import { SHIPPED } from '../../../../server/dialects/boxes.ts'
import { messageIdOf } from '../../../../server/dialects/hemipay/message-id.ts'
import { numbersOf, packOf } from '../../../../server/dialects/oneway/packs.ts'
import { announce, codecOf, ID, NOW, profileOf, sending, textOf } from './support.ts'

const NAMES = [...SHIPPED.keys()]
const amount = fc.bigInt({ min: 1n, max: 9_999_999_999_999n }).map(String)
const lang = fc.constantFrom(...LANGUAGES)
const body: fc.Arbitrary<CommandBody> = fc.oneof(
  fc.record({ kind: fc.constant('announce' as const), amount, lang, paidBill: fc.string({ maxLength: 30 }) }),
  fc.record({ kind: fc.constant('code' as const), code: fc.stringMatching(/^[0-9]{6}$/) }),
  fc.record({
    kind: fc.constant('qr' as const),
    qr: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1_024 }),
    amount,
    billNumber: fc.string({ maxLength: 30 }),
  }),
  fc.record({
    kind: fc.constant('profile' as const),
    name: fc.string({ unit: 'grapheme', maxLength: 128 }),
    qr: fc.string({ maxLength: 1_024 }),
    locked: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('missed' as const), count: fc.nat(), amount }),
  fc.constant({ kind: 'clear' as const, what: 'qr' as const }),
)

describe.each(NAMES)('%s', (name) => {
  const profile = profileOf(name)

  it('writes JSON that fits the buffer, whatever the amount and the name are', () => {
    fc.assert(
      fc.property(body, fc.stringMatching(/^[A-Za-z0-9_-]{4,32}$/), (one, serial) => {
        const written = codecOf(profile, serial).write(sending(one), NOW, profile.bufferBytes)
        if (written === 'done' || 'failed' in written) {
          // A name is shortened; it is never a reason to show nothing.
          if (one.kind === 'profile' || one.kind === 'missed') expect(written).toBe('done')
          return
        }
        expect(publishBytes(written.topic, written.payload)).toBeLessThanOrEqual(profile.bufferBytes)
        expect(JSON.parse(textOf(written.payload))).toBeTypeOf('object')
        expect(written.topic).toContain(serial)
      }),
    )
  })

  it('says every amount up to its limit, and none above it', () => {
    fc.assert(
      fc.property(amount, fc.constantFrom(...profile.languages), (one, language) => {
        const written = codecOf(profile, 'W'.repeat(32)).write(
          sending(announce(one, language)),
          NOW,
          profile.bufferBytes,
        )
        const isOver = BigInt(one) > BigInt(profile.maxAmount)
        expect(written).toEqual(
          isOver ? { failed: 'over_limit' } : expect.objectContaining({ topic: expect.any(String) }),
        )
      }),
    )
  })

  it('ignores garbage, and takes no garbage for an answer', () => {
    const codec = codecOf(profile)
    codec.write(sending(announce('5000')), NOW, profile.bufferBytes)
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record(
          {
            message_id: fc.jsonValue(),
            packet_type: fc.oneof(
              fc.constantFrom('rsp_payment', 'device_info', 'request_payment'),
              fc.jsonValue(),
            ),
            content: fc.oneof(
              fc.jsonValue(),
              fc.record({
                response_status: fc.jsonValue(),
                amount_due: fc.jsonValue(),
                battery_percent: fc.jsonValue(),
              }),
            ),
            re_request_id: fc.jsonValue(),
            code: fc.constantFrom(200, '200'),
            data: fc.oneof(fc.jsonValue(), fc.record({ result: fc.jsonValue(), task_id: fc.jsonValue() })),
            batt: fc.jsonValue(),
            signal: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array()), (payload) => {
        const { kind } = codec.read({ topic: 't', qos: 1, retain: true, payload })
        expect(['ignored', 'telemetry', 'keyed']).toContain(kind)
      }),
    )
  })

  it('writes a command with the same id at each sending', () => {
    const write = (at: number) => codecOf(profile).write(sending(announce('5000')), at, profile.bufferBytes)
    const [first, second] = [write(NOW), write(NOW + 30_000)].map((one) =>
      typeof one === 'object' && 'topic' in one ? textOf(one.payload) : '',
    )
    // The time may differ, and nothing else.
    const strip = (text = '') => text.replace(/"(time_stamp|datetime)":"\d+"|"ctime":\d+/g, '')
    expect(strip(first)).toBe(strip(second))
  })
})

it('a message_id has ten digits, and other commands have others', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => messageIdOf(`${ID}${n}`))
  for (const id of ids) expect(id).toMatch(/^[1-9][0-9]{9}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

it.each(LANGUAGES)('10,000 amounts become numbers of the pack and back: %s', (language) => {
  const profile = profileOf('clip-numbers')
  const pack = profile.dialect === 'oneway' ? packOf(profile) : undefined
  if (!pack) throw new Error('no pack')
  const ids = new Map(Object.entries(pack.clips[language] ?? {}).map(([id, number]) => [number, id]))
  const forbidden = new Set(pack.forbidden.map((number) => String(number).padStart(3, '0')))
  for (const one of fc.sample(amount, 10_000)) {
    const clips = announcementClips(language, one)
    const numbers = numbersOf(pack, language, clips.split(' ')) ?? []
    expect(numbers.map((number) => ids.get(number)).join(' ')).toBe(clips)
    expect(numbers.filter((number) => forbidden.has(number))).toEqual([])
  }
})
