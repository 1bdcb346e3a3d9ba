import {
  acked,
  announceBody,
  command,
  type Draft,
  failed,
  idOf,
  NOW,
  refuses,
  soundingOf,
  spoken,
  waitingOf,
} from './draft.ts'

export const FIFTY = announceBody('50000')

/** The expectation for an announcement that the device speaks at once. */
export function heard(
  draft: Pick<Draft, 'name' | 'clauses' | 'event'> & Partial<Draft>,
  value = '50000',
): Draft {
  return {
    sends: [acked(42, 'received')],
    effects: spoken(42, value),
    after: { played: 42, sounding: soundingOf(42) },
    ...draft,
  }
}

/** Announcement 42 is sounding. */
export const playing = { played: 42, sounding: soundingOf(42) }

const spokenOnce: Draft[] = [
  heard({
    name: 'announce, n above the last one played: received, written, spoken',
    clauses: ['7.4', '7.5'],
    event: command('announce', FIFTY),
  }),
  {
    name: 'the sound has ended: acked as played',
    clauses: ['7.4', '7.5'],
    before: playing,
    event: { type: 'sound_end' },
    sends: [acked(42, 'played')],
    after: { sounding: null },
  },
  {
    name: 'announce, n far above the last one played: gaps are normal',
    clauses: ['6.1', '7.5'],
    event: command('announce', FIFTY, { n: 4_000 }),
    sends: [acked(4_000, 'received')],
    effects: spoken(4_000, '50000'),
    after: { played: 4_000, sounding: soundingOf(4_000) },
  },
  heard({
    name: 'announce below the number of a code on the screen: screens are counted apart',
    clauses: ['6.4', '7.5', '7.6'],
    before: { shown: 50, code: { code: '048213', exp: NOW + 200 } },
    event: command('announce', FIFTY),
  }),
  heard({
    name: 'announce in English',
    clauses: ['6.2'],
    event: command('announce', announceBody('105000', { lang: 'en' })),
    effects: spoken(42, '105000', 'en'),
  }),
  heard(
    {
      name: 'announce of the largest amount',
      clauses: ['6.3'],
      event: command('announce', announceBody('9999999999999')),
    },
    '9999999999999',
  ),
  {
    name: 'announce while another sounds: it waits for its turn',
    clauses: ['7.5'],
    before: playing,
    event: command('announce', announceBody('1000'), { n: 43 }),
    sends: [acked(43, 'received')],
    after: { waiting: [waitingOf(43, '1000')] },
  },
  {
    name: 'announce below one that waits: it goes before it',
    clauses: ['7.5'],
    level: 'SHOULD',
    before: { ...playing, waiting: [waitingOf(44, '2000')] },
    event: command('announce', announceBody('1000'), { n: 43 }),
    sends: [acked(43, 'received')],
    after: { waiting: [waitingOf(43, '1000'), waitingOf(44, '2000')] },
  },
  {
    name: 'the sound has ended and another waits: played, then the next is written and spoken',
    clauses: ['7.5', '7.7'],
    before: { ...playing, waiting: [waitingOf(43, '1000')] },
    event: { type: 'sound_end' },
    sends: [acked(42, 'played')],
    effects: spoken(43, '1000'),
    after: { played: 43, sounding: soundingOf(43), waiting: [] },
  },
]

const repeats: Draft[] = [
  {
    name: 'repeat of the one that sounds: received, dup',
    clauses: ['7.5'],
    before: playing,
    event: command('announce', FIFTY),
    sends: [acked(42, 'received', { dup: true })],
  },
  {
    name: 'repeat of one that waits: received, dup, and not queued again',
    clauses: ['7.5'],
    before: { ...playing, waiting: [waitingOf(43, '1000')] },
    event: command('announce', announceBody('1000'), { n: 43, at: NOW + 3, ttl: 117 }),
    sends: [acked(43, 'received', { dup: true })],
  },
  {
    name: 'repeat of one that waits, with another end of its time, because the clock was set: that end counts',
    clauses: ['7.7'],
    level: 'SHOULD',
    before: { ...playing, waiting: [waitingOf(43, '1000')] },
    event: command('announce', announceBody('1000'), { n: 43, at: NOW, ttl: 30 }),
    sends: [acked(43, 'received', { dup: true })],
    after: { waiting: [waitingOf(43, '1000', NOW + 30)] },
  },
  {
    name: 'repeat of the last one played: played, dup',
    clauses: ['7.5'],
    event: command('announce', FIFTY, { n: 41 }),
    sends: [acked(41, 'played', { dup: true })],
  },
  {
    name: 'repeat of the last one played, past its time: played, dup, for it was',
    clauses: ['7.5', '7.7'],
    event: command('announce', FIFTY, { n: 41, at: NOW - 500 }),
    sends: [acked(41, 'played', { dup: true })],
  },
  {
    name: 'announce below the last one played, never heard of here: played, dup, and not spoken',
    clauses: ['7.5'],
    event: command('announce', FIFTY, { n: 7 }),
    sends: [acked(7, 'played', { dup: true })],
  },
  {
    name: 'n 0 is below every number: played, dup',
    clauses: ['6.1', '7.5'],
    before: { played: 0 },
    event: command('announce', FIFTY, { n: 0 }),
    sends: [acked(0, 'played', { dup: true })],
  },
  {
    name: 'repeat of one that has failed: failed, dup, with the same rc, although it is fresh',
    clauses: ['7.5', '7.11'],
    level: 'SHOULD',
    before: { failed: [{ id: idOf(42), rc: 'muted' }] },
    event: command('announce', FIFTY),
    sends: [acked(42, 'failed', { rc: 'muted', dup: true })],
  },
]

const tooLate: Draft[] = [
  heard({
    name: 'announce in its last second: spoken',
    clauses: ['7.7'],
    event: command('announce', FIFTY, { at: NOW - 120 }),
  }),
  {
    name: 'announce one second past at + ttl: expired',
    clauses: ['7.7'],
    event: command('announce', FIFTY, { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
  heard({
    name: 'announce from a hub whose clock is seconds ahead: spoken',
    clauses: ['7.7'],
    event: command('announce', FIFTY, { at: NOW + 5 }),
  }),
  heard({
    name: 'announce whose at + ttl does not fit 32 bits: spoken',
    clauses: ['11.3'],
    event: command('announce', FIFTY, { ttl: 4_294_967_295 }),
  }),
  {
    name: 'its time ran out while it waited: expired right before speaking',
    clauses: ['7.7'],
    before: { ...playing, clock: NOW + 130, waiting: [waitingOf(43, '1000')] },
    event: { type: 'sound_end' },
    sends: [acked(42, 'played'), failed(43, 'expired')],
    after: { sounding: null, waiting: [], failed: [{ id: idOf(43), rc: 'expired' }] },
  },
  {
    name: 'one that waits has expired, the next has not: the next is spoken',
    clauses: ['7.5', '7.7'],
    before: {
      ...playing,
      clock: NOW + 130,
      waiting: [waitingOf(43, '1000'), waitingOf(44, '2000', NOW + 200)],
    },
    event: { type: 'sound_end' },
    sends: [acked(42, 'played'), failed(43, 'expired')],
    effects: spoken(44, '2000'),
    after: {
      played: 44,
      sounding: soundingOf(44),
      waiting: [],
      failed: [{ id: idOf(43), rc: 'expired' }],
    },
  },
]

const givenUp: Draft[] = [
  {
    name: 'one that was received has failed without a PUBACK, and the sound has ended: the next waits for the PUBACK',
    clauses: ['7.19'],
    before: {
      ...playing,
      played: 43,
      sounding: soundingOf(43),
      waiting: [waitingOf(44, '2000')],
      failed: [{ id: idOf(42), rc: 'expired' }],
      unconfirmed: [failed(42, 'expired').fields],
    },
    event: { type: 'sound_end' },
    sends: [acked(43, 'played')],
    after: { sounding: null },
  },
  {
    name: 'announce while one that was received has failed without a PUBACK: received, and not started yet',
    clauses: ['7.19'],
    before: {
      failed: [{ id: idOf(42), rc: 'muted' }],
      unconfirmed: [failed(42, 'muted').fields],
    },
    event: command('announce', announceBody('1000'), { n: 43 }),
    sends: [acked(43, 'received')],
    after: { waiting: [waitingOf(43, '1000')] },
  },
]

export const announcementCases: Draft[] = [...spokenOnce, ...repeats, ...tooLate, ...givenUp]
