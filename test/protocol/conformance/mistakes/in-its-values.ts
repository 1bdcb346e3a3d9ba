import { publishes } from '../support/bends.ts'
import { bentLine, type Dial } from '../support/line.ts'
import { rewrites } from '../support/sealing.ts'
import type { Mistake } from './mistake.ts'

type Body = Record<string, unknown>

/** What becomes of the n of an ack, when the numbers of the hub start where it shows. */
const NUMBERS: readonly (readonly [string, number, (n: number) => unknown, RegExp])[] = [
  ['cuts n to 8 bits', 300, (n) => n % 2 ** 8, /`n`: it is cut to 8 bits/],
  ['cuts n to 16 bits', 65_536, (n) => n % 2 ** 16, /`n`: it is cut to 16 bits/],
  ['cuts n to 24 bits', 2 ** 24, (n) => n % 2 ** 24, /`n`: it is cut to 24 bits/],
  ['cuts n to 31 bits', 2 ** 31, (n) => n % 2 ** 31, /`n`: it is cut to 31 bits/],
  ['reads n as signed', 2 ** 31, (n) => n - 2 ** 32, /`n`: it is read as a signed integer of 32 bits/],
  ['stops at the largest signed n', 2 ** 31 + 7, () => 2 ** 31 - 1, /`n`: it stops at 2,147,483,647/],
  ['keeps n as float32', 2 ** 24 + 2 ** 20, Math.fround, /`n`: it was a float of 32 bits/],
  [
    'sends the bytes of n in reverse order',
    5,
    (n) => Buffer.from([n, 0, 0, 0]).readUInt32BE(),
    /`n`: its 4 bytes are in reverse order/,
  ],
  ['sends n as two bytes in reverse order', 5, (n) => n << 8, /`n`: its 2 bytes are in reverse order/],
  ['sends n as a text', 5, String, /`n`: it is a text: write it without quotes/],
  ['counts from 0', 5, (n) => n - 1, /`n`: it is one too low/],
]

/** What becomes of the id in an ack. */
const IDS: readonly (readonly [string, (id: string) => unknown, RegExp])[] = [
  [
    'cuts the id',
    (id) => id.slice(0, 25),
    /`id`: it is cut to 25 characters: does its buffer have room for the NUL/,
  ],
  ['writes the id in lower case', (id) => id.toLowerCase(), /`id`: it is in lower case/],
  ['sends a NUL behind the id', (id) => `${id}\0`, /`id`: it has something at its end/],
  [
    'does not decode an escape',
    (id) => `\\u0030${id.slice(1)}`,
    /`id`: an escape is not decoded: .*`\\u` with its four digits/,
  ],
  [
    'drops the backslash of an escape',
    (id) => `u0030${id.slice(1)}`,
    /`id`: of an escape the backslash is lost/,
  ],
  ['replaces an escape', (id) => `?${id.slice(1)}`, /`id`: characters are replaced: decode every escape/],
]

/** Fields of the birth, with the case that fails. */
const BIRTHS: readonly (readonly [string, (body: Body) => Body, RegExp])[] = [
  [
    'sends its clock in milliseconds',
    ({ at }) => ({ at: Number(at) * 1_000 }),
    /`at`: it is in milliseconds: send Unix seconds/,
  ],
  [
    'writes its buffer as a text',
    () => ({ rx: '512' }),
    /`rx`: it is a text: write the number without quotes/,
  ],
  ['has a number for its firmware', () => ({ fw: 7 }), /`fw`: it is a number: write it in quotes/],
  ['writes its languages as a text', () => ({ lang: 'vi,en' }), /`lang`: it is a text: write a list/],
  ['writes null for what it has not', () => ({ model: null }), /`model`: it is null: leave the field out/],
  ['writes a number with a fraction', () => ({ rx: 512.5 }), /`rx`: 512\.5 is no integer/],
]

const SETTINGS: readonly (readonly [string, Body, RegExp])[] = [
  ['reports its volume as a text', { volume: '60' }, /`volume`: it is a text/],
  ['reports its language in capitals', { lang: 'VI' }, /`lang`: "VI" has capitals: write "vi"/],
  ['reports no language', { lang: undefined }, /`lang`: it is left out/],
]

export const IN_ITS_VALUES: readonly Mistake[] = [
  ...NUMBERS.map(
    ([name, played, change, likely]): Mistake => ({
      name,
      mutation: () => ({
        line: both(
          rewrites('birth', (body) => ({ ...body, played })),
          ackField('n', (n) => change(Number(n))),
        ),
      }),
      fails: 'envelope/ack-names-command',
      likely,
      only: ['ack/clear', 'envelope/frames-are-json', 'envelope/ack-names-command', 'mac/ack'],
    }),
  ),
  ...IDS.map(
    ([name, change, likely]): Mistake => ({
      name,
      mutation: () => ({ line: ackField('id', (id) => change(String(id))) }),
      fails: 'envelope/ack-names-command',
      likely,
    }),
  ),
  ...BIRTHS.map(
    ([name, change, likely]): Mistake => ({
      name,
      mutation: () => ({ line: rewrites('birth', (body) => ({ ...body, ...change(body) })) }),
      fails: 'session/birth-fields',
      likely,
    }),
  ),
  ...SETTINGS.map(
    ([name, change, likely]): Mistake => ({
      name,
      mutation: () => ({ line: rewrites('settings', (body) => ({ ...body, ...change })) }),
      fails: 'settings/report-fields',
      likely,
      only: ['settings/report-fields', 'settings/version-in-birth'],
    }),
  ),
  {
    name: 'writes 1 for true',
    mutation: () => ({ line: ackField('dup', (dup) => (dup === undefined ? undefined : 1)) }),
    fails: 'order/screen-repeat',
    likely: /`dup`: it is 1: write true/,
    only: ['order/screen-repeat'],
  },
  {
    name: 'keeps the version of its settings in the wrong order of bytes',
    mutation: () => ({
      line: rewrites('birth', (body) => ({ ...body, settings: Number(body.settings) << 8 })),
    }),
    fails: 'settings/version-in-birth',
    likely: /`settings`: its 2 bytes are in reverse order/,
    only: ['settings/version-in-birth'],
  },
  {
    name: 'sends telemetry as texts',
    mutation: () => ({ line: publishes('telemetry', () => ({ payload: '{"battery":"80"}' })) }),
    fails: 'connection/telemetry-fields',
    likely: /`battery`: it is a text/,
  },
]

function ackField(name: string, change: (value: unknown) => unknown) {
  return rewrites('ack', (body) => ({ ...body, [name]: change(body[name]) }))
}

function both(near: (dial: Dial) => Dial, far: (dial: Dial) => Dial): (dial: Dial) => Dial {
  return (dial) => near(far(bentLine(dial, () => ({}))))
}
