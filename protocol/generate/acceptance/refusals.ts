import { FIFTY, heard, playing } from './announcements.ts'
import { acked, announceBody, command, type Draft, NOW, refuses } from './draft.ts'

/** Announcements that the device can't speak. */
export const refusalCases: Draft[] = [
  {
    name: 'announce with a clip that is not in the pack: no_clip',
    clauses: ['6.2', '7.4'],
    event: command('announce', { ...FIFTY, clips: 'da-nhan 5 muoi nghin xu' }),
    ...refuses(42, 'no_clip'),
  },
  {
    name: 'announce with the clips of the other language: no_clip',
    clauses: ['6.2', '7.4'],
    event: command('announce', { ...FIFTY, lang: 'en' }),
    ...refuses(42, 'no_clip'),
  },
  {
    name: 'announce in a language without a clip pack here: no_clip',
    clauses: ['6.2', '7.4'],
    before: { languages: ['vi'] },
    event: command('announce', announceBody('50000', { lang: 'en' })),
    ...refuses(42, 'no_clip'),
  },
  {
    name: 'announce at volume 0: muted, because played is a receipt for a sound',
    clauses: ['7.4'],
    before: { volume: 0 },
    event: command('announce', FIFTY),
    ...refuses(42, 'muted'),
  },
  {
    name: 'announce with broken audio: audio_failed',
    clauses: ['7.4'],
    before: { audio: 'broken' },
    event: command('announce', FIFTY),
    ...refuses(42, 'audio_failed'),
  },
  heard({
    name: 'announce with a broken display: spoken all the same',
    clauses: ['7.5'],
    before: { display: 'broken' },
    event: command('announce', FIFTY),
  }),
  {
    name: 'announce with no room for one more: silence, the hub brings it again',
    clauses: ['7.11'],
    level: 'SHOULD',
    before: { ...playing, busy: true },
    event: command('announce', announceBody('1000'), { n: 4_000 }),
  },
  {
    name: 'announce that is late and has no clip: no_clip, which is found while it is read',
    clauses: ['7.7', '10.1'],
    event: command('announce', { ...FIFTY, clips: 'da-nhan xu' }, { at: NOW - 121 }),
    ...refuses(42, 'no_clip'),
  },
  {
    name: 'repeat of the last one played, with a clip that is not in the pack: played, dup',
    clauses: ['7.5', '10.1'],
    event: command('announce', { ...FIFTY, clips: 'da-nhan xu' }, { n: 41 }),
    sends: [acked(41, 'played', { dup: true })],
  },
  {
    name: 'announce that is late, at volume 0: expired, which is asked first',
    clauses: ['7.7', '10.1'],
    before: { volume: 0 },
    event: command('announce', FIFTY, { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
  {
    name: 'announce that is late, with no room for one more: expired, which is asked first',
    clauses: ['7.7', '10.1'],
    before: { ...playing, busy: true },
    event: command('announce', announceBody('1000'), { n: 4_000, at: NOW - 121 }),
    ...refuses(4_000, 'expired'),
  },
  {
    name: 'repeat of the last one played, at volume 0: played, dup, for a repeat is asked for first',
    clauses: ['7.5', '10.1'],
    before: { volume: 0 },
    event: command('announce', FIFTY, { n: 41 }),
    sends: [acked(41, 'played', { dup: true })],
  },
  {
    name: 'repeat of the last one shown, with a broken display: shown, dup',
    clauses: ['7.6', '10.1'],
    before: { display: 'broken', shown: 42 },
    event: command('clear', { what: 'qr' }),
    sends: [acked(42, 'shown', { dup: true })],
  },
]
