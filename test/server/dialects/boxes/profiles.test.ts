import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  checkProfile,
  profileJsonSchema,
  readProfile,
  resolveProfile,
  SHIPPED,
} from '../../../../server/dialects/boxes.ts'
import { generatedFiles } from '../../../../server/dialects/generate/files.ts'
import { expectedPassword, identityOf } from '../../../../server/dialects/profile/login.ts'
import { profileOf } from './support.ts'

const FOLDER = join(import.meta.dirname, '../../../../server/dialects')
const own = (name: string, change: object) => checkProfile(profileOf(name, { name: 'mine', ...change }))

describe('a generated file of server/dialects', () => {
  it.each([...generatedFiles(profileJsonSchema())])(
    '%s is what `npm run boxes:generate` writes',
    (path, content) => {
      expect(readFileSync(join(FOLDER, path), 'utf8')).toBe(content)
    },
  )
})

describe('a profile that ships', () => {
  const validate = new Ajv2020().compile(profileJsonSchema())

  it.each([...SHIPPED.keys()])('%s can be used', (name) => {
    const text = readFileSync(join(FOLDER, `profile/shipped/${name}.json`), 'utf8')
    expect(readProfile(text)).toEqual({ profile: SHIPPED.get(name) })
    expect(validate(JSON.parse(text))).toBe(true)
    expect(resolveProfile(name)).toBe(SHIPPED.get(name))
  })
})

const CNY = { currency: 'CNY', clips: {}, forbidden: [] }
const TTS = { broadcast_type: 10, money: '{amount}', ttstext: '{text}' }

describe('a profile is refused', () => {
  it.each([
    [
      'the Chinese factory pack',
      'clip-numbers',
      { pack: CNY },
      /^pack\.currency is CNY: .* another currency/,
    ],
    ['yuan', 'hemipay', { currency: { code: 'CNY', words: { vi: '元' } } }, /^currency\.code is CNY/],
    [
      'no word for đồng',
      'hemipay',
      { currency: { code: 'VND', words: {} } },
      /^currency\.words\.vi is missing, and must be "đồng"/,
    ],
    [
      'another word',
      'morefun',
      { currency: { code: 'VND', words: { vi: 'tệ' } } },
      /^currency\.words\.vi is "tệ"/,
    ],
    [
      'a small buffer',
      'clip-numbers',
      { bufferBytes: 160 },
      /^The sentence for \d+ in vi is too long .*too_large/,
    ],
    [
      "a maker's small field",
      'morefun',
      { limits: { text: 100 }, maxAmount: '9999999999999', announce: [{ json: TTS }] },
      /^The sentence for \d+ in vi is too long/,
    ],
    [
      'a ceiling above the messages',
      'morefun',
      { maxAmount: '10000000', announce: [{ upTo: '9999999', json: TTS }] },
      /^maxAmount is 10000000, .* Lower maxAmount/,
    ],
    ['a ceiling above the digits', 'ds50', { maxAmount: '99999999999' }, /^maxAmount is 99999999999/],
    [
      'an unknown placeholder',
      'openluat',
      { announce: [{ json: { money: '{amuont}' } }] },
      /^announce\.0\.json: \{amuont\} is not known here/,
    ],
    ['an unknown limit', 'clip-numbers', { limits: { amuont: 8 } }, /^limits\.amuont: no placeholder/],
    ['an unknown pack', 'clip-numbers', { pack: 'vi' }, /^pack: no pack "vi" ships/],
    [
      'a language without clips',
      'clip-numbers',
      { pack: { ...CNY, currency: 'VND' } },
      /^pack\.clips\.vi has no number for "0"/,
    ],
    [
      'a code without a message',
      'ds50',
      { pairing: 'spoken' },
      /^pairing is spoken, and the box can't be sent a code/,
    ],
    [
      'no digit zero',
      'clip-numbers',
      { languages: ['en'] },
      /^pairing is spoken, and no language .* each digit/,
    ],
    ['one name for all boxes', 'hemipay', { wireId: 'box' }, /^wireId must have \{serial\} once/],
    [
      'one topic for all boxes',
      'hemipay',
      { topics: { down: '/LLZN/all' } },
      /^topics\.down must have \{serial\} once/,
    ],
    ['a product key that is missing', 'alink', { productKey: undefined }, /^wireId needs the product key/],
    ['a status that means two things', 'hemipay', { played: ['success'] }, /^played has "success"/],
    ['a keypad without a screen', 'hemipay', { screen: undefined, pairing: 'label' }, /^keypad is true/],
    ['one file for all words', 'alink', { clip: 'received' }, /^clip must have \{clip\}/],
    [
      'two languages in one name',
      'alink',
      { languages: ['vi', 'en'], currency: { code: 'VND', words: { vi: 'đồng', en: 'dong' } } },
      /^clip must have \{lang\}/,
    ],
  ])('%s', (_, name, change, sentence) => {
    expect(own(name, change)).toContainEqual(expect.stringMatching(sentence))
  })

  it('with a number twice, or a sound of the system', () => {
    const profile = profileOf('clip-numbers')
    const shipped = readFileSync(join(FOLDER, 'oneway/packs/vi-en.json'), 'utf8')
    const packWith = (number: string) => JSON.parse(shipped.replace('"119"', `"${number}"`))
    expect(profile.name).toBe('clip-numbers')
    expect(own('clip-numbers', { pack: packWith('120') })).toEqual([
      expect.stringMatching(/the number 120 twice/),
    ])
    expect(own('clip-numbers', { pack: packWith('188') })).toEqual([
      expect.stringMatching(/da-nhan is 188, a sound of the system/),
    ])
    expect(own('clip-numbers', { pack: packWith('300') })).toEqual([])
  })

  it('under the name of one that ships', () => {
    expect(checkProfile(profileOf('hemipay', { keypad: false }))).toEqual([
      expect.stringMatching(/^name: hemipay is the name/),
    ])
  })

  it.each([
    ['{', 'The file is no JSON text.'],
    ['{}', 'dialect must name a dialect: hemipay, oneway or alink.'],
    [
      JSON.stringify({ ...SHIPPED.get('hemipay'), maxAmount: '0' }),
      'maxAmount must be a text of 1 to 13 digits, as "9999999".',
    ],
    [
      JSON.stringify({ ...SHIPPED.get('hemipay'), login: { password: 'x' } }),
      'login.password must be "minted", "given", "serial", {"hmac":"morefun"} or {"hmac":"alink"}.',
    ],
    [
      JSON.stringify({ ...SHIPPED.get('hemipay'), topics: { down: '/LLZN/+/{serial}' } }),
      'topics.down must have no + and no #: they would reach other boxes.',
    ],
    [JSON.stringify({ ...SHIPPED.get('hemipay'), qrs: 1 }), 'The profile: Unrecognized key: "qrs".'],
  ])('in a sentence: %#', (text, sentence) => {
    expect(readProfile(text)).toEqual({ problems: [sentence] })
  })
})

it('an unknown profile, or a document that this hub does not understand, is none', () => {
  expect(resolveProfile('mine')).toBeUndefined()
  expect(resolveProfile('mine', '{"dialect":"later"}')).toBeUndefined()
  expect(resolveProfile('mine', JSON.stringify(profileOf('hemipay', { name: 'mine' })))?.name).toBe('mine')
})

describe('a login', () => {
  it('is refused where it does not fit the box, or something is missing', () => {
    const serial = '866714012345678'
    const openluat = profileOf('openluat')
    expect(expectedPassword(openluat, { serial, given: 'x'.repeat(16) })).toEqual({
      password: 'x'.repeat(16),
    })
    expect(expectedPassword(openluat, { serial, given: 'x'.repeat(17) })).toEqual({
      refused: expect.stringContaining('16 bytes of a password'),
    })
    expect(expectedPassword(openluat, { serial: `${serial}12`, given: 'x' })).toEqual({
      refused: expect.stringContaining('16 bytes of a client id'),
    })
    expect(expectedPassword(openluat, { serial })).toHaveProperty('refused')
    expect(expectedPassword(profileOf('morefun'), { serial })).toHaveProperty('refused')
    expect(expectedPassword(profileOf('ds50', { login: { password: 'serial' } }), { serial })).toEqual({
      password: serial,
    })
  })

  it.each([
    ['hemipay', {}, 'device'],
    ['morefun', {}, 'weak'],
    ['alink', {}, 'device'],
    ['ds50', { login: { password: 'serial' } }, 'weak'],
    ['ds50', { login: { password: 'given', shared: true } }, 'weak'],
  ])('of %s is %j %s', (name, change, identity) => {
    expect(identityOf(profileOf(name, change))).toBe(identity)
  })
})
