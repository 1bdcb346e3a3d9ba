import type { VectorEffect, VectorState } from '../formats/acceptance.ts'
import { acked, announceBody, command, type Draft, NOW, refuses } from './draft.ts'

const CODE = { code: '048213', exp: NOW + 300 }
const QR = { qr: '00020101021238', amount: '180000', bill: 'BILL-7', exp: NOW + 300 }
const LOCKED = { name: 'Phở Hạnh', qr: '', locked: true }
const PROFILE = { name: 'Trà sữa trân châu đường đen 🧋', qr: '00020101021138' }

/** A screen command that applies. */
function shown(
  name: string,
  clauses: string[],
  event: Draft['event'],
  change: { before?: Draft['before']; effects?: VectorEffect[]; after?: Partial<VectorState> },
): Draft {
  const { before = {}, effects = [], after = {} } = change
  return {
    name,
    clauses,
    before,
    event,
    sends: [acked(42, 'received'), acked(42, 'shown')],
    effects,
    after: { shown: 42, ...after },
  }
}

function refused(
  draft: Pick<Draft, 'name' | 'clauses' | 'event'> & Partial<Draft>,
  rc: 'expired' | 'display_failed' | 'not_ready' | 'unsupported',
): Draft {
  return { ...refuses(42, rc), ...draft }
}

const applied: Draft[] = [
  shown('code: shown', ['6.1', '7.6'], command('code', CODE), {
    effects: [{ do: 'show_code', ...CODE }],
    after: { code: CODE },
  }),
  shown('qr: shown', ['7.6'], command('qr', QR), { effects: [{ do: 'show_qr', ...QR }], after: { qr: QR } }),
  shown('a newer qr replaces the one on the screen', ['7.6'], command('qr', { ...QR, bill: 'BILL-8' }), {
    before: { qr: QR, shown: 30 },
    effects: [{ do: 'show_qr', ...QR, bill: 'BILL-8' }],
    after: { qr: { ...QR, bill: 'BILL-8' } },
  }),
  shown('profile: the idle screen, its name in any script', ['7.6'], command('profile', PROFILE), {
    effects: [{ do: 'show_profile', ...PROFILE }],
    after: { profile: PROFILE },
  }),
  shown('profile without a QR: still a shop', ['7.6'], command('profile', { ...PROFILE, qr: '' }), {
    effects: [{ do: 'show_profile', ...PROFILE, qr: '' }],
    after: { profile: { ...PROFILE, qr: '' } },
  }),
  shown('profile of a device that was not registered: it is linked', ['7.6'], command('profile', PROFILE), {
    before: { linked: false, profile: null },
    effects: [{ do: 'show_profile', ...PROFILE }],
    after: { profile: PROFILE, linked: true },
  }),
  shown('profile of a locked device: it says so, and the QR goes', ['6.7'], command('profile', LOCKED), {
    before: { profile: PROFILE, qr: QR },
    effects: [
      { do: 'show_profile', ...LOCKED },
      { do: 'clear', what: 'qr' },
    ],
    after: { profile: LOCKED, qr: null },
  }),
  shown('profile without `locked`: the device is unlocked', ['6.7'], command('profile', PROFILE), {
    before: { profile: LOCKED },
    effects: [{ do: 'show_profile', ...PROFILE }],
    after: { profile: PROFILE },
  }),
  shown('a code on a locked device: shown', ['6.7'], command('code', CODE), {
    before: { profile: LOCKED },
    effects: [{ do: 'show_code', ...CODE }],
    after: { code: CODE },
  }),
  shown('missed: shown, never spoken', ['7.10'], command('missed', { count: 3, amount: '270000' }), {
    effects: [{ do: 'show_missed', count: 3, amount: '270000' }],
    after: { missed: { count: 3, amount: '270000' } },
  }),
  shown('clear of the code', ['7.6'], command('clear', { what: 'code' }), {
    before: { code: CODE, qr: QR, shown: 30 },
    effects: [{ do: 'clear', what: 'code' }],
    after: { code: null },
  }),
  shown('clear of the QR', ['7.6'], command('clear', { what: 'qr' }), {
    before: { code: CODE, qr: QR, shown: 30 },
    effects: [{ do: 'clear', what: 'qr' }],
    after: { qr: null },
  }),
  shown('clear of what is not there: done at once', ['7.6'], command('clear', { what: 'qr' }), {}),
  shown(
    'a screen command below the last announcement played: screens are counted apart',
    ['6.4', '7.6'],
    command('code', CODE),
    {
      before: { played: 4_000 },
      effects: [{ do: 'show_code', ...CODE }],
      after: { code: CODE },
    },
  ),
]

const unregistered: Draft = {
  ...shown(
    'profile with both fields empty: not registered, and the QR goes',
    ['7.13'],
    command('profile', { name: '', qr: '' }),
    {
      before: { qr: QR, missed: { count: 3, amount: '270000' } },
      effects: [
        { do: 'show_profile', name: '', qr: '' },
        { do: 'clear', what: 'qr' },
      ],
      after: { profile: { name: '', qr: '' }, linked: false, qr: null, missed: null },
    },
  ),
}

const repeats: Draft[] = [
  {
    name: 'repeat of the last one shown: shown, dup',
    clauses: ['7.5', '7.6'],
    before: { code: CODE, shown: 42 },
    event: command('code', CODE),
    sends: [acked(42, 'shown', { dup: true })],
  },
  {
    name: 'code below the last one shown: it does not come back on the screen',
    clauses: ['7.6'],
    before: { shown: 50 },
    event: command('code', CODE),
    sends: [acked(42, 'shown', { dup: true })],
  },
  {
    name: 'qr below the last one shown: the newer one stays',
    clauses: ['7.6'],
    before: { shown: 50, qr: { ...QR, bill: 'BILL-8' } },
    event: command('qr', QR),
    sends: [acked(42, 'shown', { dup: true })],
  },
  {
    name: 'clear below the last one shown: the QR stays',
    clauses: ['7.6'],
    before: { shown: 50, qr: QR },
    event: command('clear', { what: 'qr' }),
    sends: [acked(42, 'shown', { dup: true })],
  },
]

const endings: Draft[] = [
  refused(
    {
      name: 'code past at + ttl: expired',
      clauses: ['7.7'],
      event: command('code', CODE, { at: NOW - 121 }),
    },
    'expired',
  ),
  refused(
    {
      name: 'qr whose own exp has passed: expired',
      clauses: ['7.7'],
      level: 'SHOULD',
      event: command('qr', { ...QR, exp: NOW - 1 }),
    },
    'expired',
  ),
  {
    name: 'the code has passed its exp: it goes',
    clauses: ['6.5'],
    before: { code: CODE, shown: 42, clock: CODE.exp + 1 },
    event: { type: 'clock' },
    effects: [{ do: 'clear', what: 'code' }],
    after: { code: null },
  },
  {
    name: 'the last second of the code: it stays',
    clauses: ['6.5'],
    before: { code: CODE, shown: 42, clock: CODE.exp },
    event: { type: 'clock' },
  },
  {
    name: 'the QR has passed its exp: it goes',
    clauses: ['6.5'],
    before: { qr: QR, shown: 42, clock: QR.exp + 1 },
    event: { type: 'clock' },
    effects: [{ do: 'clear', what: 'qr' }],
    after: { qr: null },
  },
]

const cannot: Draft[] = [
  refused(
    {
      name: 'code with a broken display: display_failed',
      clauses: ['7.4'],
      before: { display: 'broken' },
      event: command('code', CODE),
    },
    'display_failed',
  ),
  refused(
    {
      name: 'qr with a broken display: display_failed',
      clauses: ['7.4'],
      before: { display: 'broken' },
      event: command('qr', QR),
    },
    'display_failed',
  ),
  refused(
    {
      name: 'qr on a locked device: not_ready',
      clauses: ['6.7'],
      before: { profile: LOCKED },
      event: command('qr', QR),
    },
    'not_ready',
  ),
  refused(
    {
      name: 'profile whose `locked` is no boolean: unsupported',
      clauses: ['7.8'],
      event: command('profile', { ...LOCKED, locked: 'true' }),
    },
    'unsupported',
  ),
  refused(
    {
      name: 'code of five digits: unsupported',
      clauses: ['7.8'],
      event: command('code', { ...CODE, code: '04821' }),
    },
    'unsupported',
  ),
  refused(
    {
      name: 'code as a number: unsupported',
      clauses: ['7.8'],
      event: command('code', { ...CODE, code: 48_213 }),
    },
    'unsupported',
  ),
  refused(
    {
      name: 'clear of something else: unsupported',
      clauses: ['7.8'],
      event: command('clear', { what: 'all' }),
    },
    'unsupported',
  ),
  refused(
    {
      name: 'missed without a count: unsupported',
      clauses: ['7.8'],
      event: command('missed', { amount: '1' }),
    },
    'unsupported',
  ),
  refused(
    {
      name: 'qr with the body of an announce: unsupported',
      clauses: ['7.8'],
      event: command('qr', announceBody('1000')),
    },
    'unsupported',
  ),
]

export const screenCases: Draft[] = [...applied, unregistered, ...repeats, ...endings, ...cannot]
