import {
  acked,
  announceBody,
  BORN,
  command,
  type Draft,
  IDLE,
  NOW,
  soundingOf,
  spoken,
  waitingOf,
} from './draft.ts'

export const WELCOME = { now: NOW, n: 41, linked: true, settings: IDLE.settingsVer }
const FIFTY = announceBody('50000')
const REPORT = {
  kind: 'settings' as const,
  fields: { t: 'settings', ver: IDLE.settingsVer, volume: IDLE.volume, lang: IDLE.lang },
}
export const OFF: NonNullable<Draft['after']> = {
  welcomed: false,
  welcomeN: null,
  clock: null,
  linked: null,
  shown: 0,
  identified: 0,
  profile: null,
  code: null,
  qr: null,
  missed: null,
  sounding: null,
  waiting: [],
  failed: [],
}

const birth = (played: number) => ({
  kind: 'birth' as const,
  fields: {
    t: 'birth',
    sid: IDLE.sid,
    fw: IDLE.fw,
    model: IDLE.model,
    caps: IDLE.caps,
    lang: IDLE.languages,
    rx: IDLE.rx,
    played,
    settings: IDLE.settingsVer,
  },
})

const beginnings: Draft[] = [
  {
    name: 'after the SUBACK: the birth, and nothing before it',
    clauses: ['4.2', '7.9', '8.1'],
    before: BORN,
    event: { type: 'suback' },
    sends: [birth(41)],
  },
  {
    name: 'after the SUBACK with unconfirmed acks: the birth alone, the acks wait for the welcome',
    clauses: ['4.2', '7.4', '7.25'],
    before: { ...BORN, unconfirmed: [acked(41, 'played').fields] },
    event: { type: 'suback' },
    sends: [birth(41)],
  },
  {
    name: 'welcome: received, and its clock is taken',
    clauses: ['7.1', '7.7'],
    before: { ...BORN, linked: null },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received')],
    after: { welcomed: true, welcomeN: 42, clock: NOW, linked: true },
  },
  {
    name: 'welcome with unconfirmed acks: they are sent again, sealed for this session',
    clauses: ['5.2', '7.4'],
    before: {
      ...BORN,
      unconfirmed: [acked(40, 'failed', { rc: 'expired' }).fields, acked(41, 'played').fields],
    },
    event: command('welcome', WELCOME),
    sends: [acked(40, 'failed', { rc: 'expired' }), acked(41, 'played'), acked(42, 'received')],
    after: { welcomed: true, welcomeN: 42, clock: NOW, unconfirmed: [] },
  },
  {
    name: 'welcome of a hub that knows no settings of the device: they are reported',
    clauses: ['8.7'],
    before: BORN,
    event: command('welcome', { ...WELCOME, settings: undefined }),
    sends: [acked(42, 'received'), REPORT],
    after: { welcomed: true, welcomeN: 42, clock: NOW },
  },
  {
    name: 'welcome of a hub that knows an older version of the settings: they are reported',
    clauses: ['8.7'],
    before: BORN,
    event: command('welcome', { ...WELCOME, settings: 2 }),
    sends: [acked(42, 'received'), REPORT],
    after: { welcomed: true, welcomeN: 42, clock: NOW },
  },
  {
    name: 'welcome of a hub that knows a newer version of the settings: they are reported',
    clauses: ['8.7'],
    before: BORN,
    event: command('welcome', { ...WELCOME, settings: 4 }),
    sends: [acked(42, 'received'), REPORT],
    after: { welcomed: true, welcomeN: 42, clock: NOW },
  },
  {
    name: 'a later welcome of the session, without a version of the settings: no report',
    clauses: ['8.7', '11.7'],
    before: { welcomeN: 41 },
    event: command('welcome', { ...WELCOME, settings: undefined }),
    sends: [acked(42, 'received')],
    after: { welcomeN: 42 },
  },
  {
    name: 'a later welcome of the session: acks that are under way are not sent again',
    clauses: ['7.24'],
    level: 'SHOULD',
    before: { welcomeN: 40, unconfirmed: [acked(41, 'played').fields] },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received')],
    after: { welcomeN: 42 },
  },
  {
    name: 'welcome that says not registered: shop and QR go',
    clauses: ['7.13'],
    level: 'SHOULD',
    before: { ...BORN, qr: { qr: '000201', amount: '1000', bill: 'B', exp: NOW + 60 } },
    event: command('welcome', { ...WELCOME, linked: false }),
    sends: [acked(42, 'received')],
    effects: [{ do: 'clear', what: 'qr' }],
    after: { welcomed: true, welcomeN: 42, clock: NOW, linked: false, profile: null, qr: null },
  },
  {
    name: 'repeat of the welcome: received, dup, and the clock is not turned back',
    clauses: ['7.1', '7.5', '11.2'],
    before: { welcomeN: 42, clock: NOW + 600 },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received', { dup: true })],
  },
  {
    name: 'an earlier welcome of the same session: received, dup, and the clock is not turned back',
    clauses: ['11.7'],
    before: { welcomeN: 43, clock: NOW + 600 },
    event: command('welcome', { ...WELCOME, linked: false }),
    sends: [acked(42, 'received', { dup: true })],
  },
  {
    name: 'a newer welcome in the same session: received, and its clock is taken, even an earlier one',
    clauses: ['11.6', '11.7'],
    before: { welcomeN: 41, clock: NOW + 600, shown: 40 },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received')],
    after: { welcomeN: 42, clock: NOW },
  },
  {
    name: 'a welcome recorded in another session: dropped, and still not welcomed',
    clauses: ['3.1', '5.3'],
    before: BORN,
    event: { ...command('welcome', WELCOME), sealed: { sid: '9f86d081884c7d66' } },
  },
]

const births: Draft[] = [
  {
    name: 'after the SUBACK while others wait: the birth, and what waits is forgotten with its acks received',
    clauses: ['7.18', '7.20'],
    before: {
      ...BORN,
      sounding: soundingOf(41),
      waiting: [waitingOf(42, '50000'), waitingOf(43, '1000')],
      unconfirmed: [acked(42, 'received').fields, acked(43, 'received').fields],
    },
    event: { type: 'suback' },
    sends: [birth(41)],
    after: { waiting: [], unconfirmed: [] },
  },
  {
    name: 'one that was forgotten with the birth comes again: received without dup, and spoken',
    clauses: ['7.18', '7.20'],
    before: { welcomeN: 41 },
    event: command('announce', FIFTY),
    sends: [acked(42, 'received')],
    effects: spoken(42, '50000'),
    after: { played: 42, sounding: soundingOf(42) },
  },
]

const early: Draft[] = [
  {
    name: 'announce before the welcome: nothing, not even an ack',
    clauses: ['7.1', '7.14'],
    before: BORN,
    event: command('announce', FIFTY),
  },
  {
    name: 'code before the welcome: nothing',
    clauses: ['7.1', '7.14'],
    before: BORN,
    event: command('code', { code: '048213', exp: NOW + 300 }),
  },
  {
    name: 'an unknown type before the welcome: nothing',
    clauses: ['7.1', '7.14'],
    before: BORN,
    event: command('dance', {}),
  },
]

const powerCuts: Draft[] = [
  {
    name: 'power cut after received, before the sound: nothing is written, so it is not played',
    clauses: ['7.5', '7.9'],
    before: { sounding: soundingOf(41), waiting: [waitingOf(42, '50000')] },
    event: { type: 'power_cut' },
    after: OFF,
  },
  {
    name: 'power cut while it sounds: it stays written as played',
    clauses: ['7.5', '7.9'],
    before: { played: 42, sounding: soundingOf(42) },
    event: { type: 'power_cut' },
    after: OFF,
  },
  {
    name: 'after a power cut while it sounded: the birth says so',
    clauses: ['7.9', '8.1'],
    before: { ...BORN, linked: null, profile: null, played: 42 },
    event: { type: 'suback' },
    sends: [birth(42)],
  },
  {
    name: 'the announcement that a power cut broke off comes again: played, dup, not said twice',
    clauses: ['7.5'],
    before: { played: 42, welcomeN: 43 },
    event: command('announce', FIFTY),
    sends: [acked(42, 'played', { dup: true })],
  },
  {
    name: 'the announcement that a power cut caught waiting comes again: spoken',
    clauses: ['7.5'],
    before: { welcomeN: 43 },
    event: command('announce', FIFTY),
    sends: [acked(42, 'received')],
    effects: spoken(42, '50000'),
    after: { played: 42, sounding: soundingOf(42) },
  },
]

const beforeTheWelcome: Draft[] = [
  {
    name: 'the sound has ended between birth and welcome: its ack waits for the welcome',
    clauses: ['7.25', '10.3'],
    before: { ...BORN, played: 42, sounding: soundingOf(42) },
    event: { type: 'sound_end' },
    after: { sounding: null, unconfirmed: [acked(42, 'played').fields] },
  },
]

export const sessionCases: Draft[] = [...beginnings, ...births, ...early, ...beforeTheWelcome, ...powerCuts]
