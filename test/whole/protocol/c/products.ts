import type { Printed } from '../../../protocol/c/build.ts'
import { NOW, SETUP } from './fuzz.ts'
import { sealed } from './scenarios.ts'

/** What a product tells the core, in lines for vectors.c, and what the device sends, keeps and shows then. */

const hex = (text: string) => Buffer.from(text).toString('hex')
const [DEVICE = '', SESSION = ''] = SETUP
const HEALTHY = DEVICE.replace('update', 'update,health')
const status = (
  facts: Partial<Record<'battery' | 'signal' | 'charging' | 'clock' | 'uptime' | 'reset' | 'modem', unknown>>,
) => {
  const { battery = '-', signal = '-', charging = '-', clock = 0, uptime = 0, reset = '', modem = '' } = facts
  const words = [hex(String(reset)) || '-', hex(String(modem)) || '-']
  return `status ${[battery, signal, charging, clock, uptime, ...words].join(' ')}`
}
const newSession = (n: number, now = NOW) => [
  ...['closed', 'connect', 'suback', SESSION.replace('welcomed', 'born')],
  sealed('welcome', n, `{"now":${now},"n":${n},"linked":true,"settings":3}`),
]
const announce = (n: number) =>
  sealed('announce', n, '{"amount":"5","currency":"VND","lang":"vi","clips":"dong"}')
const REST = { volume: 80, queue: 0 }

/** The frames of the device but acks, and what it kept; a birth only with its `caps` and `at`. */
export function toldBy(printed: Printed[]): unknown[] {
  return printed.flatMap(({ send, frame, keep, again, event, rc }) => {
    if (keep !== undefined) return [Object(keep)]
    if (event === 'broken' || event === 'announce') return [event]
    if (event === 'failed') return [`failed ${rc}`]
    if (again !== undefined) return [again]
    if (send === undefined || send === 'ack') return []
    const { mac: _mac, t: _t, ...told } = JSON.parse(String(frame))
    return [send === 'birth' ? { caps: told.caps.at(-1), at: told.at } : { [String(send)]: told }]
  })
}

export const PRODUCTS: { name: string; lines: string[]; tells: unknown[] }[] = [
  {
    name: 'sb/1 8.4: tells battery, signal and charger if the product knows them',
    lines: [
      ...[DEVICE, status({ battery: 7, signal: -71, charging: 1 }), ...newSession(60)],
      ...[status({ battery: 0, signal: 0, charging: 0 }), 'clock 30000', status({}), 'clock 60000'],
    ],
    tells: [
      { caps: 'update', at: undefined },
      { telemetry: { ...REST, battery: 7, signal: -71, charging: true } },
      { telemetry: { ...REST, battery: 0, signal: 0, charging: false } },
      { telemetry: REST },
    ],
  },
  {
    name: 'keeps what a sensor tells within the limits of the message',
    lines: [
      ...[DEVICE, status({ battery: 101, signal: -151 }), ...newSession(60)],
      ...[status({ battery: -1, signal: 1 }), 'clock 30000'],
    ],
    tells: [
      { caps: 'update', at: undefined },
      { telemetry: { ...REST, battery: 100, signal: -150 } },
      { telemetry: { ...REST, battery: 0, signal: 0 } },
    ],
  },
  {
    name: 'sb/1 8.10: tells its health in the first telemetry of each session',
    lines: [
      ...[HEALTHY, 'crash', 'crash', status({ reset: 'watchdog', uptime: 3_600, modem: 'pdpdeact' })],
      ...[...newSession(60), 'clock 30000', status({}), ...newSession(61)],
    ],
    tells: [
      { played: 41, ver: 3, volume: 80, lang: 'vi' },
      { played: 41, ver: 3, volume: 80, lang: 'vi' },
      { caps: 'health', at: undefined },
      { telemetry: { ...REST, health: { reset: 'watchdog', uptime: 3_600, crashes: 2, modem: 'pdpdeact' } } },
      { telemetry: REST },
      { caps: 'health', at: undefined },
      { telemetry: { ...REST, health: { reset: 'unknown', uptime: 0, crashes: 2 } } },
    ],
  },
  {
    name: 'sb/1 8.10: writes the words of the modem as JSON, and no more of them than fit',
    lines: [
      HEALTHY,
      status({ reset: 'brownout-or-other', modem: `"\\\n\u007fé${'x'.repeat(40)}` }),
      ...newSession(60),
    ],
    tells: [
      { caps: 'health', at: undefined },
      {
        telemetry: {
          ...REST,
          health: { reset: 'brownout-or-othe', uptime: 0, crashes: 0, modem: `??????${'x'.repeat(26)}` },
        },
      },
    ],
  },
  {
    name: 'sb/1 8.9: sends telemetry as often as the product is configured',
    lines: ['product 900 hub', DEVICE, ...newSession(60), 'clock 899999', 'clock 900000', 'product 0 hub'],
    tells: [{ caps: 'update', at: undefined }, { telemetry: REST }, { telemetry: REST }],
  },
  {
    name: 'sb/1 8.9: brings a telemetry forward, and sends not two in 10 s',
    lines: [
      ...['product 900 hub', DEVICE, ...newSession(60), status({ charging: 1 }), 'report-soon 5000'],
      ...['report-soon 6000', 'clock 10999', 'clock 11000', status({ charging: 0 }), 'report-soon 500000'],
      ...['clock 500000', 'product 0 hub'],
    ],
    tells: [
      { caps: 'update', at: undefined },
      { telemetry: REST },
      { telemetry: { ...REST, charging: true } },
      { telemetry: { ...REST, charging: false } },
    ],
  },
  {
    name: 'sb/1 8.6: gives settings that are changed on the device the next version, keeps and reports them',
    lines: [...SETUP, 'turn 90 vi', 'turn 90 en', 'turn 90 en'],
    tells: [
      { played: 41, ver: 4, volume: 90, lang: 'vi' },
      { settings: { ver: 4, volume: 90, lang: 'vi' } },
      { played: 41, ver: 5, volume: 90, lang: 'en' },
      { settings: { ver: 5, volume: 90, lang: 'en' } },
    ],
  },
  {
    name: 'sb/1 8.7: reports after the next welcome what was changed without a session',
    lines: [...SETUP, 'closed', 'turn 0 vi', ...newSession(60), announce(61)],
    tells: [
      { played: 41, ver: 4, volume: 0, lang: 'vi' },
      { caps: 'update', at: undefined },
      { settings: { ver: 4, volume: 0, lang: 'vi' } },
      { telemetry: { volume: 0, queue: 0 } },
      'failed muted',
    ],
  },
  {
    name: 'refuses settings that are not possible, and a version above the highest one',
    lines: [...SETUP, 'turn 101 vi', DEVICE.replace(' 3 80 ', ' 4294967295 80 '), 'turn 90 vi'],
    tells: [false, false],
  },
  {
    name: 'sb/1 12.4: is out of order if it can not keep what was changed on it',
    lines: [...SETUP, 'worn-out', 'turn 90 vi', 'turn 91 vi', announce(61)],
    tells: ['broken', false, false],
  },
  {
    name: 'sb/1 8.1, sb/1 11.1: tells its own clock in the birth, and goes by that of the hub',
    lines: [DEVICE, status({ clock: NOW + 500 }), ...newSession(60), announce(61)],
    tells: [
      { caps: 'update', at: NOW + 500 },
      { telemetry: REST },
      { played: 61, ver: 3, volume: 80, lang: 'vi' },
      'announce',
    ],
  },
  {
    name: 'sb/1 11.1: a device that goes by its own clock ignores the time of each welcome',
    lines: [
      ...['product 0 own', DEVICE, status({ clock: NOW }), ...newSession(60, NOW + 500), announce(61)],
      ...['sound-end', sealed('welcome', 62, `{"now":${NOW - 500},"n":62,"linked":true}`)],
      ...[
        status({ clock: NOW + 120 }),
        announce(63),
        'sound-end',
        status({ clock: NOW + 121 }),
        announce(64),
      ],
      'product 0 hub',
    ],
    tells: [
      { caps: 'update', at: NOW },
      { telemetry: REST },
      { played: 61, ver: 3, volume: 80, lang: 'vi' },
      'announce',
      { played: 63, ver: 3, volume: 80, lang: 'vi' },
      'announce',
      'failed expired',
    ],
  },
  {
    name: 'sb/1 11.1: goes by the hub while its own clock is not set',
    lines: ['product 0 own', DEVICE, ...newSession(60, NOW + 121), announce(61), 'product 0 hub'],
    tells: [{ caps: 'update', at: undefined }, { telemetry: REST }, 'failed expired'],
  },
]
