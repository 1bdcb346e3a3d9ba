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

/** The amounts with the longest sentences. A test searches all groups of three digits. */
export const LONGEST_AMOUNT = { vi: '9021021021021', en: '9777777777777' } as const

/** How the bytes of the largest announcements are used, as a Markdown table. */
export function announceBudget(): string {
  const columns = LANGUAGES.flatMap((lang) => [SHORTEST, LONGEST].map((serial) => partsOf(lang, serial)))
  const labels = columns[0]?.map(([label]) => label) ?? []
  const rows = labels.map((label, row) => {
    const cells = columns.map((column) => String(column[row]?.[1] ?? ''))
    return `| ${[label, ...cells].join(' | ')} |`
  })
  return [
    '| Bytes | vi, serial of 4 | vi, serial of 32 | en, serial of 4 | en, serial of 32 |',
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
    ['longest clips', clips.length],
    ['MAC', 32],
    ['**whole PUBLISH without a bill**', whole],
    ['remaining of 512 for `,"bill":"…"`', 512 - whole],
  ]
}

/** What a device must store, as a Markdown table. */
export function memoryBudget(): string {
  const clipCounts = LANGUAGES.map((lang) => announcementClips(lang, LONGEST_AMOUNT[lang]).split(' ').length)
  const most = Math.max(...clipCounts)
  const rows = [
    ['receive buffer for a whole PUBLISH', '`rx`: 512', 'the hub never sends more (6.3)'],
    [
      'a PUBLISH with a QR, without the QR text',
      String(aroundQr()),
      'serial of 32, largest amount, a bill of 64 in ASCII',
    ],
    ['largest ack, as a PUBLISH', String(largestAck()), 'serial of 32, longest `st` and `rc`, `dup`'],
    [
      'largest birth, as a PUBLISH',
      String(largestBirth()),
      'serial of 32, `fw` and `model` of 16, five caps, two languages',
    ],
    ['HMAC-SHA256 state', '2 × 104', 'inner and outer hash: state 32, length 8, block 64 (FIPS 180-4)'],
    [
      'one waiting announcement',
      String(26 + 4 + 4 + 1 + 1 + most),
      `id 26, n 4, at + ttl 4 (saturated), language 1, count 1, at most ${most} clips of one byte each`,
    ],
    ['one remembered failed command', '27', 'id 26, rc 1'],
    ['kept across power cuts', '4 + 6', '`played`; `ver`, `volume`, `lang`; in addition to serial and K'],
    ['the same, with the capability `rekey`', '33 more', 'the next K, and whether there is one'],
  ]
  return ['| What | Bytes | Reason |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  )
}

/** The clip packs, as a Markdown table. */
export function packTable(): string {
  const rows = LANGUAGES.map((lang) => {
    const amount = LONGEST_AMOUNT[lang]
    const clips = announcementClips(lang, amount)
    const cells = [lang, clipIds(lang).length, clips.split(' ').length, clips.length, amount]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Language | Clips in the pack | Clips in the longest sentence | Its characters | Its amount |',
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
    ...{
      t: 'birth',
      sid: SID,
      fw: 'F'.repeat(16),
      model: 'M'.repeat(16),
      caps: ['screen', 'speaker', 'qr', 'rekey', 'update'],
    },
    ...{ lang: ['vi', 'en'], rx: 512, played: 2_147_483_647, settings: MOST, at: MOST },
  }
  const frame = sealFrame(Buffer.alloc(32), upPrefix(LONGEST, SID, 'birth'), body)
  return publishBytes(upTopic(LONGEST, 'birth'), frame)
}
