import fc from 'fast-check'
import { toCardinal } from 'n2words/en-US'
import { doReadNumber, ReadingConfig } from 'read-vietnamese-number'
import { describe, expect, it } from 'vitest'
import { downPrefix, publishBytes, sealFrame } from '../../../protocol/frame.ts'
import { announce } from '../../../protocol/messages/announce.ts'
import { parseCommand } from '../../../protocol/messages/command.ts'
import type { Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import { downTopic } from '../../../protocol/topics.ts'
import { amountWords, clipVectors } from '../vectors.ts'

const LANGUAGES: Language[] = ['vi', 'en']
const SENTENCE = {
  vi: (words: string) => `Đã nhận ${words} đồng`,
  en: (words: string) => `Received ${words} dong`,
}
const LONGEST = '9999999999999'

/** Amounts of all lengths, with as many zeros as in real shops. */
const amount = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.oneof(fc.constant(0), fc.nat(9)), { maxLength: 12 }))
  .map(([first, rest]) => [first, ...rest].join(''))

/** Every group of three digits alone, before and after other groups, and every power of ten with its neighbours. */
const edges = [
  ...Array.from({ length: 999 }, (_, index) => String(index + 1)).flatMap((group) => {
    const padded = group.padStart(3, '0')
    return [
      group,
      `${group}000`,
      `1${padded}`,
      `1${padded}000000`,
      `1${padded}000000000`,
      `1000000000${padded}`,
    ]
  }),
  ...Array.from({ length: 13 }, (_, zeros) => 10n ** BigInt(zeros)).flatMap((power) =>
    [power - 1n, power, power + 1n, power * 5n, power * 9n].filter((value) => value > 0n).map(String),
  ),
  LONGEST,
]

function textOf(lang: Language, value: string) {
  return clipsToText(lang, announcementClips(lang, value))
}

describe.each(LANGUAGES)('in %s', (lang) => {
  it.each(Object.entries(amountWords[lang]))('%s is "%s"', (value, words) => {
    expect(textOf(lang, value)).toBe(SENTENCE[lang](words))
  })

  it('every edge agrees with an independent implementation', () => {
    expect(edges.filter((value) => textOf(lang, value) !== oracle[lang](value))).toEqual([])
  })

  it('thousands of random amounts agree with an independent implementation', () => {
    fc.assert(
      fc.property(amount, (value) => textOf(lang, value) === oracle[lang](value)),
      { numRuns: 2000 },
    )
  })

  it('two amounts never sound alike', () => {
    const sentences = new Set(edges.map((value) => announcementClips(lang, value)))
    expect(sentences.size).toBe(new Set(edges).size)
  })

  it('the amounts use every clip of the pack, and no other clip', () => {
    const said = new Set(edges.flatMap((value) => announcementClips(lang, value).split(' ')))
    expect([...said].sort()).toEqual([...clipIds(lang)].sort())
  })

  it('clip ids are short, unique ASCII words', () => {
    expect(clipIds(lang).filter((id) => !/^[a-z0-9-]{1,8}$/.test(id))).toEqual([])
    expect(new Set(clipIds(lang)).size).toBe(clipIds(lang).length)
  })

  it.each(['', '0', '01', '-1', '+1', '1.5', '1e3', '1 000', ' 1', '1\n', '１', '10000000000000'])(
    'refuses %j as an amount',
    (value) => {
      expect(() => announcementClips(lang, value)).toThrow(RangeError)
    },
  )

  it.each(['', ' ', 'dong ', 'dong  dong', 'unknown', 'Dong', 'constructor', '__proto__'])(
    'has no text for %j',
    (clips) => {
      expect(clipsToText(lang, clips)).toBeUndefined()
    },
  )

  // The bill has the longest ASCII form, with characters that JSON escapes. The hub may leave out a longer one.
  it('sb/1 6.3: the longest announcement fits 512 bytes for the longest serial and number', () => {
    const longest = [...edges, ...repeatedGroups()].reduce((a, b) =>
      announcementClips(lang, a).length >= announcementClips(lang, b).length ? a : b,
    )
    const serial = 'S'.repeat(32)
    const command = {
      t: 'announce',
      id: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      n: 4_294_967_295,
      at: 4_294_967_295,
      ttl: 4_294_967_295,
      d: {
        amount: longest,
        currency: 'VND',
        lang,
        clips: announcementClips(lang, longest),
        bill: '"'.repeat(64),
      },
    }
    expect(longest).toHaveLength(13)
    expect(announce.safeParse(command.d).success).toBe(true)
    expect(parseCommand(command).kind).toBe('command')
    const payload = sealFrame(Buffer.alloc(32), downPrefix(serial, '0'.repeat(16)), command)
    expect(publishBytes(downTopic(serial), payload)).toBeLessThanOrEqual(512)
  })
})

describe('clips.json', () => {
  it.each(clipVectors.amounts)('sb/1 6.2: $lang $amount: $text', ({ lang, amount: value, clips, text }) => {
    expect(announcementClips(lang, value)).toBe(clips)
    expect(clipsToText(lang, clips)).toBe(text)
    expect(text).toBe(oracle[lang](value))
  })

  it.each(LANGUAGES)('has the whole clip pack of %s', (lang) => {
    expect(Object.keys(clipVectors.packs[lang])).toEqual([...clipIds(lang)])
    for (const [id, words] of Object.entries(clipVectors.packs[lang]))
      expect(clipsToText(lang, id)?.toLowerCase()).toBe(words)
  })
})

describe('clipsToText', () => {
  it('returns composed Unicode, which small displays need', () => {
    for (const value of edges) expect(textOf('vi', value)).toBe(textOf('vi', value)?.normalize('NFC'))
  })

  it('does not mix the clips of two languages', () => {
    expect(clipsToText('en', announcementClips('vi', '50000'))).toBeUndefined()
    expect(clipsToText('vi', announcementClips('en', '50000'))).toBeUndefined()
  })
})

const reading = new ReadingConfig()
reading.unit = []
reading.oddText = 'linh'
reading.fourToneText = 'bốn'
reading.units = [[], ['nghìn'], ['triệu'], ['tỷ']]

const oracle = {
  vi: (value: string) => SENTENCE.vi(doReadNumber(value, reading)),
  en: (value: string) => SENTENCE.en(toCardinal(value)),
}

/** All groups after the first are spoken alike, so one longest group repeated gives the longest sentence. */
function repeatedGroups(): string[] {
  return Array.from(
    { length: 999 },
    (_, index) =>
      `9${String(index + 1)
        .padStart(3, '0')
        .repeat(4)}`,
  )
}
