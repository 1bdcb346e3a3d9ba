import { downPrefix, publishBytes, sealFrame } from '../../frame.ts'
import type { Language } from '../../money/language.ts'
import { announcementClips } from '../../money/sentence.ts'
import { downTopic } from '../../topics.ts'
import type { SizesFile } from '../formats/hub.ts'

type Row = SizesFile['rows'][number]
type Body = Record<string, unknown>

const ID = '01JD3Z8Q6X9V5T7M2K4N8P0R1S'
const USUAL = { serial: 'SPK-2026-000123', n: 42, at: 1_763_678_400, ttl: 120 }
const LARGEST = { serial: 'S'.repeat(32), n: 4_294_967_295, at: 4_294_960_000, ttl: 120 }
const SMALLEST = { serial: 'SB01', n: 1, at: 1_763_678_400, ttl: 120 }
/** No amount has a longer sentence. */
const LONGEST_AMOUNT = { vi: '9021021021021', en: '9777777777777' } as const

/** The longest fields of an offer, without its signature. */
const OFFER = {
  fw: '1'.repeat(32),
  url: `https://${'u'.repeat(104)}`,
  size: 4_294_967_295,
  sha256: 'A'.repeat(43),
}

type Envelope = typeof USUAL

/** Any key will do: every MAC has 22 characters. */
function bytesOf(t: string, { serial, n, at, ttl }: Envelope, d: Body): number {
  const prefix = downPrefix(serial, '0'.repeat(16))
  return publishBytes(downTopic(serial), sealFrame(Buffer.alloc(32), prefix, { t, id: ID, n, at, ttl, d }))
}

/**
 * Two rows for each form of a body, the complete one and the smaller ones in the order in which the hub tries them: the
 * smallest buffer that holds it, and one byte less.
 */
function edges(why: string, t: string, envelope: Envelope, forms: readonly Body[]): Row[] {
  const [whole = {}] = forms
  const sizes = forms.map((d) => bytesOf(t, envelope, d))
  const buffers = [...new Set(sizes.flatMap((bytes) => [bytes, bytes - 1]))].sort((a, b) => b - a)
  return buffers.map((rx) => rowAt(rx))

  function rowAt(rx: number): Row {
    const index = sizes.findIndex((bytes) => bytes <= rx)
    const sent = forms[index] ?? null
    return { why, ...envelope, rx, t, id: ID, whole, sent, publish: sizes[index] ?? null }
  }
}

function announce(why: string, lang: Language, amount: string, envelope: Envelope, bill?: string): Row[] {
  const spoken = { amount, currency: 'VND', lang, clips: announcementClips(lang, amount) }
  return edges(why, 'announce', envelope, bill === undefined ? [spoken] : [{ ...spoken, bill }, spoken])
}

function announcements(): Row[] {
  return [
    ...announce('a usual announcement', 'vi', '50000', USUAL),
    ...announce('a usual announcement with a bill', 'vi', '50000', USUAL, 'BILL202611200001'),
    ...announce('the smallest announcement', 'en', '1', SMALLEST),
    ...announce('the longest sentence, Vietnamese', 'vi', LONGEST_AMOUNT.vi, LARGEST),
    ...announce('the longest sentence, English', 'en', LONGEST_AMOUNT.en, LARGEST),
    ...announce(
      'the longest sentence, English, a bill of 64',
      'en',
      LONGEST_AMOUNT.en,
      LARGEST,
      'B'.repeat(64),
    ),
    ...announce('a bill of 64 quotes: JSON writes each with two', 'vi', '50000', USUAL, '"'.repeat(64)),
    ...announce('a bill of 64 letters of three bytes', 'vi', '50000', USUAL, 'ạ'.repeat(64)),
  ]
}

function atTheDefault(): Row[] {
  const wide = (['vi', 'en'] as const).flatMap((lang) => {
    const amount = LONGEST_AMOUNT[lang]
    const spoken = { amount, currency: 'VND', lang, clips: announcementClips(lang, amount) }
    return [spoken, { ...spoken, bill: '"'.repeat(64) }]
  })
  const why = '512 holds every announcement, whatever its serial, with every bill in ASCII'
  return wide.map((whole) => {
    const publish = bytesOf('announce', LARGEST, whole)
    return { why, ...LARGEST, rx: 512, t: 'announce', id: ID, whole, sent: whole, publish }
  })
}

function screens(): Row[] {
  const name = 'Trà sữa trân châu đường đen Nguyễn Thị Minh Khai 🧋'
  const qr = '0'.repeat(250)
  const shortened = [32, 8].map((length) => [...name].slice(0, length).join(''))
  const names = [name, ...shortened].map((text) => ({ name: text, qr: '' }))
  const profiles = [{ name, qr }, ...names]
  const welcome = { now: LARGEST.at, n: LARGEST.n, linked: false }
  const bill = { amount: '180000', bill: 'BILL-7', exp: 1_763_679_300 }
  return [
    ...edges('a welcome to a device that has reported no settings', 'welcome', { ...LARGEST, ttl: 30 }, [
      welcome,
    ]),
    ...edges(
      'welcome: without the version of the settings, if it does not fit',
      'welcome',
      { ...LARGEST, ttl: 30 },
      [{ ...welcome, settings: 4_294_967_295 }, welcome],
    ),
    ...edges('a code', 'code', { ...LARGEST, ttl: 300 }, [{ code: '048213', exp: LARGEST.at + 300 }]),
    ...edges(
      'profile: first without the QR, then with 32 and with 8 characters of the name',
      'profile',
      { ...USUAL, ttl: 3_600 },
      profiles,
    ),
    ...edges(
      'the profile of a locked device: with 32 and with 8 characters of the name, then without `locked`',
      'profile',
      { ...USUAL, ttl: 3_600 },
      [...names.map((text) => ({ ...text, locked: true })), ...names],
    ),
    ...edges('an empty profile', 'profile', { ...USUAL, ttl: 3_600 }, [{ name: '', qr: '' }]),
    ...edges('a QR of 250 characters: nothing of it can be left out', 'qr', { ...USUAL, ttl: 900 }, [
      { qr, ...bill },
    ]),
    ...edges('clear', 'clear', { ...USUAL, ttl: 3_600 }, [{ what: 'code' }]),
    ...edges('settings', 'settings', { ...USUAL, ttl: 60 }, [{ ver: 4, volume: 40, lang: 'vi' }]),
    ...edges('identify', 'identify', { ...USUAL, ttl: 10 }, [{}]),
    ...edges('a new key', 'rekey', { ...LARGEST, ttl: 60 }, [{ key: 'A'.repeat(43) }]),
    ...edges('the largest offer of firmware: every offer fits 512', 'update', { ...LARGEST, ttl: 3_600 }, [
      { ...OFFER, sig: 'A'.repeat(88) },
    ]),
    ...edges('missed', 'missed', { ...USUAL, ttl: 3_600 }, [{ count: 3, amount: '270000' }]),
  ]
}

/** The content of sizes.json. */
export function sizeVectors(): SizesFile {
  return {
    about:
      "What still fits which receive buffer. A whole QoS 1 PUBLISH is counted: fixed header, topic, packet identifier, payload. The bill of an announcement, the QR of a profile and the settings of a welcome are left out where that helps, then the shop's name is cut; nothing else is.",
    rows: [...announcements(), ...atTheDefault(), ...screens()],
  }
}
