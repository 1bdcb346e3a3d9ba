import type { Printed } from '../../../protocol/c/build.ts'
import { NOW, SETUP, SID } from './fuzz.ts'

/** What lies beyond one event at a time, or is each device's own affair: lines for vectors.c, and what comes of them. */

export const hex = (text: string) => Buffer.from(text).toString('hex')
const idOf = (n: number) => `00000000000000000000${n.toString().padStart(6, '0')}`

/** A command with the hub's MAC; `d` is JSON, so that it may be written in any way. */
export const sealed = (t: string, n: number, d: string, more = '', ttl = 120) =>
  `sealed ${hex(`{"t":"${t}","id":"${idOf(n)}","n":${n},"at":${NOW},"ttl":${ttl},"d":${d}${more}`)}`
const announce = (n: number, amount = '50000', ttl = 120) =>
  sealed(
    'announce',
    n,
    `{"amount":"${amount}","currency":"VND","lang":"vi","clips":"da-nhan 5 dong"}`,
    '',
    ttl,
  )
const speech = (n: number, clips: string) =>
  sealed('announce', n, `{"amount":"50000","currency":"VND","lang":"vi","clips":"${clips}"}`)
/** As long a sentence as 512 bytes hold. */
const LONGEST = `${'5 '.repeat(119)}5`
const clear = (n: number) => sealed('clear', n, '{"what":"code"}')
const welcome = (n: number) => sealed('welcome', n, `{"now":${NOW},"n":${n},"linked":true}`)
export const profile = (name: string) => sealed('profile', 42, `{"name":"${name}","qr":""}`)
export const code = (n: number) => sealed('code', n, `{"code":"048213","exp":${NOW + 300}}`)
const reconnected = ['closed', `session ${SID} born`]

export interface Scenario {
  name: string
  /** After `SETUP`. */
  lines: string[]
  does: string[]
}

export const SCENARIOS: Scenario[] = [
  {
    name: 'sb/1 7.26: no PUBACK for 60 s ends the connection, and one in time does not',
    lines: [
      announce(42),
      ...['clock', 'clock 59999', 'puback-all', 'clock 60000', 'clock 119999', 'sound-end'],
      ...['clock 120000', 'clock 179999', 'clock 180000'],
    ],
    does: ['ack 42 received', 'keep 42', 'announce 42', 'played 42', 'ack 42 played', 'stalled'],
  },
  {
    name: 'sb/1 7.26: the 60 s begin again when no ack waits any more, also if the last one could not be sent',
    lines: [announce(42), 'clock', 'full', 'sound-end', 'clock', 'room', announce(43), 'clock 60000'],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'played 42'],
      ...['ack 43 received', 'keep 43', 'announce 43'],
    ],
  },
  {
    name: 'a memory that can no longer be written: no sound, no ack, nothing ever after',
    lines: [
      announce(42),
      'sound-end',
      'worn-out',
      announce(43),
      'sound-end',
      announce(44),
      'clock',
      'suback',
    ],
    does: [
      'ack 42 received',
      'keep 42',
      'announce 42',
      'played 42',
      'ack 42 played',
      'ack 43 received',
      'broken',
    ],
  },
  {
    name: 'settings that can not be written do not apply',
    lines: ['worn-out', sealed('settings', 42, '{"ver":4,"volume":40,"lang":"en"}'), announce(43)],
    does: ['broken'],
  },
  {
    name: 'an announcement waits for a beep of a higher number to end',
    lines: [sealed('identify', 50, '{}'), announce(42), 'sound-end'],
    does: ['ack 50 received', 'identify 50', 'ack 42 received', 'ack 50 played', 'keep 42', 'announce 42'],
  },
  {
    name: 'the audio breaks down while it speaks: failed, and not spoken again',
    lines: [announce(42), 'sound-break', announce(42)],
    does: [
      ...[
        'ack 42 received',
        'keep 42',
        'announce 42',
        'failed 42 audio_failed',
        'ack 42 failed audio_failed',
      ],
      ...['repeat 42', 'ack 42 failed audio_failed dup'],
    ],
  },
  {
    name: 'what has sounded while there was no line is acked after the next welcome, what was stored is not',
    lines: [
      ...[announce(40), announce(42), sealed('dance', 43, '{}'), 'puback-all', 'closed', 'sound-end'],
      ...[`session ${SID} born`, welcome(50), 'puback-all', ...reconnected, welcome(51)],
    ],
    does: [
      ...['repeat 40', 'ack 40 played dup', 'ack 42 received', 'keep 42', 'announce 42'],
      ...['failed 43 unsupported', 'ack 43 failed unsupported', 'played 42'],
      ...['connected', 'ack 42 played', 'ack 50 received', 'connected', 'ack 51 received'],
    ],
  },
  {
    name: 'an ack whose PUBACK belongs to an earlier connection is sent again',
    lines: [code(42), ...reconnected, 'puback-all', welcome(50)],
    does: ['ack 42 received', 'code', 'ack 42 shown', 'connected', 'ack 42 shown', 'ack 50 received'],
  },
  {
    name: 'a new session counts its screens anew',
    lines: [code(50), 'puback-all', ...reconnected, welcome(60), code(42)],
    does: [
      'ack 50 received',
      'code',
      'ack 50 shown',
      'connected',
      'ack 60 received',
      'ack 42 received',
      'code',
      'ack 42 shown',
    ],
  },
  {
    name: 'sb/1 7.19: speaks nothing while the failure of a received payment is not stored',
    lines: [
      ...[announce(42), announce(43, '70000', 0), announce(44), 'puback-all'],
      ...[
        `session ${SID} welcomed 01JD3Z8Q6X9V5T7M2K4N8P0018 ${NOW + 1} 0 0`,
        'sound-end',
        code(60),
        'puback-all',
      ],
    ],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'ack 43 received', 'ack 44 received'],
      ...[
        'played 42',
        'ack 42 played',
        'failed 43 expired',
        'ack 43 failed expired',
        'ack 60 received',
        'code',
        'ack 60 shown',
        'keep 44',
        'announce 44',
      ],
    ],
  },
  {
    name: 'sb/1 7.7: goes by the time of the end of a sound, and of a PUBACK, to judge what waits',
    lines: [
      ...[announce(42), announce(43, '70000', 10), announce(44, '90000', 20)],
      ...['sound-end 12000', 'puback-all 22000'],
    ],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'ack 43 received', 'ack 44 received'],
      ...['played 42', 'ack 42 played', 'failed 43 expired', 'ack 43 failed expired'],
      ...['failed 44 expired', 'ack 44 failed expired'],
    ],
  },
  {
    name: 'sb/1 7.20: starts nothing between birth and welcome, and the hub sends again what waited',
    lines: [
      ...[announce(42), announce(43), 'closed', 'connect', 'suback', 'sound-end'],
      ...[`session ${SID} born`, welcome(50), announce(43)],
    ],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'ack 43 received', 'played 42'],
      ...['connected', 'ack 42 played', 'ack 50 received', 'ack 43 received', 'keep 43', 'announce 43'],
    ],
  },
  {
    name: 'sb/1 10.3: speaks on without a connection',
    lines: [announce(42), announce(43), 'closed', 'sound-end'],
    does: [
      ...[
        'ack 42 received',
        'keep 42',
        'announce 42',
        'ack 43 received',
        'played 42',
        'keep 43',
        'announce 43',
      ],
    ],
  },
  {
    name: 'a QR without a bill is paid by no announcement',
    lines: ['screen qr 30 50000 - 4294967295', announce(42)],
    does: ['ack 42 received', 'keep 42', 'announce 42'],
  },
  {
    name: 'a firmware with too long a name sends no birth rather than half of one',
    lines: [
      `device ${SETUP[0]?.split(' ').slice(1, 3).join(' ')} ${'f'.repeat(400)} SB-1 512 41 3 80 vi vi`,
      `session ${SID} connecting`,
      'suback',
    ],
    does: [],
  },
  {
    name: 'sb/1 7.17: a device without a screen refuses what a screen is for, and speaks',
    lines: [
      ...SETUP.slice(0, 2).map((line) => line.replace('screen,speaker,qr,rekey,update', 'speaker')),
      ...[code(42), profile('A'), clear(43), announce(44)],
    ],
    does: [
      ...['failed 42 unsupported', 'ack 42 failed unsupported'],
      ...['repeat 42', 'ack 42 failed unsupported dup'],
      ...['failed 43 unsupported', 'ack 43 failed unsupported'],
      ...['ack 44 received', 'keep 44', 'announce 44'],
    ],
  },
  {
    name: 'sb/1 9.1: speaks the longest sentence that fits the receive buffer',
    lines: [speech(42, LONGEST), speech(43, 'dong'), 'sound-end', speech(43, 'dong')],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'ack 43 received', 'played 42', 'ack 42 played'],
      ...['keep 43', 'announce 43', 'repeat 43', 'ack 43 received dup'],
    ],
  },
  {
    name: 'sb/1 7.11: a sentence for whose clips there is no room gets no ack, and is taken later',
    lines: [speech(42, LONGEST), speech(43, LONGEST), 'sound-end', speech(43, LONGEST)],
    does: [
      ...['ack 42 received', 'keep 42', 'announce 42', 'played 42', 'ack 42 played'],
      ...['ack 43 received', 'keep 43', 'announce 43'],
    ],
  },
  {
    name: 'more unconfirmed acks than it can keep: the oldest are lost',
    lines: [...Array.from({ length: 30 }, (_, index) => announce(index + 1)), ...reconnected, welcome(50)],
    does: [
      ...Array.from({ length: 30 }, (_, index) => [
        `repeat ${index + 1}`,
        `ack ${index + 1} played dup`,
      ]).flat(),
      'connected',
      ...Array.from({ length: 24 }, (_, index) => `ack ${index + 7} played dup`),
      'ack 50 received',
    ],
  },
]

/** What the device did, a word or two a line. */
export function briefly(printed: Printed[]): string[] {
  return printed.flatMap((line) => {
    const { send, frame, keep, keepKeys, again, event, key, n, rc, reason, download, stop, fw, state } = line
    if (keep !== undefined) return [`keep ${Object(keep).played}`]
    if (download !== undefined) return [`download ${download}`]
    if (stop !== undefined) return ['stop']
    if (event === 'update') return [`update ${fw} ${state}`]
    if (send === 'telemetry') {
      const { update } = JSON.parse(String(frame))
      return update ? [`telemetry ${JSON.stringify(update)}`] : []
    }
    if (keepKeys !== undefined) {
      const { current, next } = Object(keepKeys)
      return [`keep ${[current, next].map((kept) => kept.slice(0, 4) || '-').join(' ')}`]
    }
    if (again !== undefined) return [again ? 'connect at once' : 'wait']
    if (event === 'rekey') return [`rekey ${key}`]
    if (event === 'broken') return ['broken']
    if (event !== undefined) return [[event, n, rc, reason].filter((part) => part !== undefined).join(' ')]
    if (send !== 'ack') return []
    const ack = JSON.parse(String(frame))
    return [['ack', ack.n, ack.st, ack.rc, ack.dup && 'dup'].filter((part) => part !== undefined).join(' ')]
  })
}
