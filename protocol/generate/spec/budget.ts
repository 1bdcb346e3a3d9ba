import { downPrefix, publishBytes, sealFrame, upPrefix } from '../../frame.ts'
import { ackStage, reasonCode } from '../../messages/ack.ts'
import { announcementClips, clipIds } from '../../money/sentence.ts'
import { downTopic, upTopic } from '../../topics.ts'

const SID = '0'.repeat(16)
const ID = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'
const MOST = 4_294_967_295
const LONGEST = 'S'.repeat(32)
const SHORTEST = 'S'.repeat(4)
const LANGUAGES = ['vi', 'en'] as const

/** Amounts with the longest sentences; a test looks through all groups of three digits. */
export const LONGEST_AMOUNT = { vi: '9021021021021', en: '9777777777777' } as const

/** Where the bytes of the largest announcements go, in Markdown. */
export function announceBudget(): string {
  const columns = LANGUAGES.flatMap((lang) => [SHORTEST, LONGEST].map((serial) => partsOf(lang, serial)))
  const labels = columns[0]?.map(([label]) => label) ?? []
  const rows = labels.map((label, row) => {
    const cells = columns.map((column) => String(column[row]?.[1] ?? ''))
    return `| ${[label, ...cells].join(' | ')} |`
  })
  return [
    '| Bytes of | vi, serial of 4 | vi, serial of 32 | en, serial of 4 | en, serial of 32 |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

type Parts = (readonly [label: string, bytes: number])[]

function partsOf(lang: (typeof LANGUAGES)[number], serial: string): Parts {
  const amount = LONGEST_AMOUNT[lang]
  const clips = announcementClips(lang, amount)
  const d = { amount, currency: 'VND', lang, clips }
  const outer = { t: 'announce', id: ID, n: MOST, at: MOST, ttl: 120 }
  const payload = sealFrame(Buffer.alloc(32), downPrefix(serial, SID), { ...outer, d })
  const whole = publishBytes(downTopic(serial), payload)
  const topic = downTopic(serial).length
  const body = JSON.stringify(d).length
  const header = whole - payload.length - topic - 2
  return [
    ['fixed header, topic length, packet identifier', header + 2],
    ['topic', topic],
    ['`t id n at ttl` and braces', payload.length - body - 32],
    ['body without the clips', body - clips.length],
    ['the longest clips', clips.length],
    ['MAC', 32],
    ['**the whole PUBLISH, no bill**', whole],
    ['left of 512 for `,"bill":"…"`', 512 - whole],
  ]
}

/** What a device needs to hold, in Markdown. */
export function memoryBudget(): string {
  const clipCounts = LANGUAGES.map((lang) => announcementClips(lang, LONGEST_AMOUNT[lang]).split(' ').length)
  const most = Math.max(...clipCounts)
  const rows = [
    ['receive buffer, the whole PUBLISH', '`rx`: 512', 'the hub never sends more (6.3)'],
    [
      'around the text of a QR, as a PUBLISH',
      String(aroundQr()),
      'serial of 32, largest amount, a bill of 64 in ASCII',
    ],
    ['the largest ack, as a PUBLISH', String(largestAck()), 'serial of 32, longest `st` and `rc`, `dup`'],
    [
      'the largest birth, as a PUBLISH',
      String(largestBirth()),
      'serial of 32, `fw` and `model` of 16, three caps, two languages',
    ],
    ['HMAC-SHA256, running', '2 × 104', 'inner and outer: state 32, length 8, block 64 (FIPS 180-4)'],
    [
      'one announcement that waits',
      String(26 + 4 + 4 + 1 + 1 + most),
      `id 26, n 4, at + ttl 4 (saturated), language 1, count 1, at most ${most} clips as one byte each`,
    ],
    ['a failed command, remembered', '27', 'id 26, rc 1'],
    ['kept over a power cut', '4 + 6', '`played`; `ver`, `volume`, `lang`; beside serial and K'],
  ]
  return ['| What | Bytes | Because |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  )
}

/** The clip packs, in Markdown. */
export function packTable(): string {
  const rows = LANGUAGES.map((lang) => {
    const amount = LONGEST_AMOUNT[lang]
    const clips = announcementClips(lang, amount)
    const cells = [lang, clipIds(lang).length, clips.split(' ').length, clips.length, amount]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Language | Clips in the pack | Clips in the longest sentence | Characters of it | Its amount |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function aroundQr(): number {
  const d = { qr: '', amount: LONGEST_AMOUNT.vi, bill: 'B'.repeat(64), exp: MOST }
  const command = { t: 'qr', id: ID, n: MOST, at: MOST, ttl: 900, d }
  const frame = sealFrame(Buffer.alloc(32), downPrefix(LONGEST, SID), command)
  return publishBytes(downTopic(LONGEST), frame)
}

function largestAck(): number {
  const longest = (words: readonly string[]) => words.reduce((a, b) => (b.length > a.length ? b : a), '')
  const body = {
    t: 'ack',
    id: ID,
    n: MOST,
    st: longest(ackStage.options),
    rc: longest(reasonCode.options),
    dup: true,
  }
  const frame = sealFrame(Buffer.alloc(32), upPrefix(LONGEST, SID, 'ack'), body)
  return publishBytes(upTopic(LONGEST, 'ack'), frame)
}

function largestBirth(): number {
  const body = {
    ...{ t: 'birth', sid: SID, fw: 'F'.repeat(16), model: 'M'.repeat(16), caps: ['screen', 'speaker', 'qr'] },
    ...{ lang: ['vi', 'en'], rx: 512, played: 2_147_483_647, settings: MOST, at: MOST },
  }
  const frame = sealFrame(Buffer.alloc(32), upPrefix(LONGEST, SID, 'birth'), body)
  return publishBytes(upTopic(LONGEST, 'birth'), frame)
}
