import { acked, command, type Draft, idOf, NOW, refuses } from './draft.ts'

const NEWER = { ver: 4, volume: 40, lang: 'en' } as const
const report = (ver: number, volume: number, lang: 'vi' | 'en') => ({
  kind: 'settings' as const,
  fields: { t: 'settings', ver, volume, lang },
})
const IN_FORCE = report(3, 80, 'vi')

const settings: Draft[] = [
  {
    name: 'settings of a newer version: written, received, reported',
    clauses: ['6.1', '8.3', '8.5'],
    event: command('settings', NEWER),
    sends: [acked(42, 'received'), report(4, 40, 'en')],
    effects: [{ do: 'write_settings', ...NEWER }],
    after: { settingsVer: 4, volume: 40, lang: 'en' },
  },
  {
    name: 'settings with a field that it does not know: ignored, and not in the report',
    clauses: ['5.4', '8.3'],
    event: command('settings', { ...NEWER, brightness: 7 }),
    sends: [acked(42, 'received'), report(4, 40, 'en')],
    effects: [{ do: 'write_settings', ...NEWER }],
    after: { settingsVer: 4, volume: 40, lang: 'en' },
  },
  {
    name: 'settings of the version in force: received, dup, and reported as they are',
    clauses: ['7.5', '8.5'],
    event: command('settings', { ...NEWER, ver: 3 }),
    sends: [acked(42, 'received', { dup: true }), IN_FORCE],
  },
  {
    name: 'settings of an older version: received, dup, and reported as they are',
    clauses: ['8.5'],
    event: command('settings', { ...NEWER, ver: 2 }),
    sends: [acked(42, 'received', { dup: true }), IN_FORCE],
  },
  {
    name: 'settings past at + ttl: expired',
    clauses: ['7.7'],
    event: command('settings', NEWER, { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
  {
    name: 'settings with a volume of 101: unsupported, and nothing of it applies',
    clauses: ['7.8'],
    event: command('settings', { ...NEWER, volume: 101 }),
    ...refuses(42, 'unsupported'),
  },
  {
    name: 'settings without a language: unsupported, for it is the whole document',
    clauses: ['7.8'],
    event: command('settings', { ver: 4, volume: 40 }),
    ...refuses(42, 'unsupported'),
  },
]

const identify: Draft[] = [
  {
    name: 'identify: received, a beep',
    clauses: ['6.1'],
    event: command('identify', {}),
    sends: [acked(42, 'received')],
    effects: [{ do: 'beep', n: 42 }],
    after: { sounding: { t: 'identify', id: idOf(42), n: 42 } },
  },
  {
    name: 'the beep has ended: played, and the last announcement played is as before',
    clauses: ['6.1', '7.5'],
    before: { sounding: { t: 'identify', id: idOf(42), n: 42 } },
    event: { type: 'sound_end' },
    sends: [acked(42, 'played')],
    after: { sounding: null, identified: 42 },
  },
  {
    name: 'repeat of an identify that is done: played, dup, no second beep',
    clauses: ['7.5'],
    level: 'SHOULD',
    before: { identified: 42 },
    event: command('identify', {}),
    sends: [acked(42, 'played', { dup: true })],
  },
  {
    name: 'identify at volume 0: muted, because played is a receipt for a sound',
    clauses: ['7.22'],
    before: { volume: 0 },
    event: command('identify', {}),
    ...refuses(42, 'muted'),
  },
  {
    name: 'identify past at + ttl: expired',
    clauses: ['7.7'],
    event: command('identify', {}, { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
]

export const settingsCases: Draft[] = [...settings, ...identify]
