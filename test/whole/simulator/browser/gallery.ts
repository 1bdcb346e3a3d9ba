import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { History } from '../../../../simulator/browser/history/history.ts'
import { staticQr } from '../../../../simulator/run/hub/sample-shop.ts'
import type { Display } from '../../../../simulator/speaker/device/display.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'

/** What the view of a page shows: `ViewState`, whose file needs the types of a browser. */
export interface Shown {
  serial: string
  lang: 'vi' | 'en'
  standstill: { screen: 'starting' | 'tap' | 'elsewhere' } | { screen: 'broken'; reason: string } | undefined
  speaker: SpeakerSnapshot | undefined
  refused: boolean
  payments: { history: History; nowMs: number } | undefined
  /** Somebody has opened the list of payments. */
  open?: boolean
}

const SERIAL = 'SB2026A00012'
const SHOP = 'Tạp hoá Cô Bảy'
const NOON_MS = Date.UTC(2026, 4, 20, 5, 0)
const MINUTE_MS = 60_000
const SENTENCE = 'Đã nhận một trăm tám mươi nghìn đồng'

const SPEAKER: SpeakerSnapshot = {
  serial: SERIAL,
  power: true,
  display: { screen: 'idle', name: SHOP, qr: '' },
  link: 'welcomed',
  retryInMs: undefined,
  linked: true,
  shop: SHOP,
  settings: { ver: 1, volume: 80, lang: 'vi' },
  faults: [],
  battery: 100,
  signal: -55,
  sounding: undefined,
  waiting: 0,
  played: 7,
}

const AMOUNTS = ['180000', '70000', '1250000', '35000', '9000', '420000', '15000']
const HISTORY: History = {
  shop: { name: SHOP, qr: '' },
  entries: AMOUNTS.map((amount, at) => ({
    kind: at === 1 ? 'missed' : 'spoken',
    n: 7 - at,
    atMs: NOON_MS - at * 170 * MINUTE_MS,
    count: at === 1 ? 2 : 1,
    amount,
  })),
  day: { date: '2026-05-20', count: 5, amount: '1535000' },
  hidden: false,
  unsure: undefined,
}

/** A view with a speaker that is registered. */
export function shown(speaker: Partial<SpeakerSnapshot> = {}, more: Partial<Shown> = {}): Shown {
  const payments = { history: HISTORY, nowMs: NOON_MS + MINUTE_MS }
  return {
    ...{ serial: SERIAL, lang: 'vi', standstill: undefined, refused: false, payments },
    speaker: { ...SPEAKER, ...speaker },
    ...more,
  }
}

const on = (display: Display, speaker: Partial<SpeakerSnapshot> = {}) => shown({ display, ...speaker })
const still = (standstill: Shown['standstill']) =>
  shown({}, { standstill, speaker: undefined, payments: undefined })
const away = { link: 'offline', retryInMs: 31_000, offlineReason: 'timeout' } as const
const sentence = (said: string, n = 8) =>
  ({ kind: 'sentence', n, text: SENTENCE, said, amount: '180000' }) as const
const PAYMENT = { screen: 'payment', amount: '180000' } as const
const IDLE = { screen: 'idle', name: SHOP, qr: '' } as const
const NO_NETWORK = { screen: 'no_network', reason: 'timeout' } as const

/** Each thing that a page of one speaker can show. */
export const STATES = {
  starting: still({ screen: 'starting' }),
  tap: still({ screen: 'tap' }),
  elsewhere: still({ screen: 'elsewhere' }),
  broken: still({ screen: 'broken', reason: 'the storage does not take the number' }),
  connecting: shown({ display: { screen: 'connecting' }, link: 'connecting', linked: false }),
  unregistered: shown(
    { display: { screen: 'unregistered' }, linked: false, shop: '' },
    { payments: undefined },
  ),
  code: on({ screen: 'code', code: '483920', secondsLeft: 287 }),
  'code and payment': on(
    { screen: 'code', code: '483920', secondsLeft: 287, amount: '180000' },
    { sounding: sentence('Đã nhận một') },
  ),
  idle: on(IDLE),
  'idle with a QR': on({ ...IDLE, qr: staticQr() }),
  'QR of a bill': on({ screen: 'qr', qr: staticQr(), amount: '180000', bill: 'B-1', secondsLeft: 287 }),
  speaking: on(PAYMENT, { sounding: sentence('Đã nhận một trăm') }),
  'just heard': on(PAYMENT),
  paid: on({
    ...{ screen: 'paid', amount: '180000', bill: 'B-1' },
    alsoPaid: { amount: '9999999999999', bill: 'B-2' },
  }),
  identify: on(IDLE, { sounding: { kind: 'beep' } }),
  missed: on({ screen: 'missed', count: 3, amount: '1250000' }),
  locked: on({ screen: 'locked', name: SHOP }),
  'locked and offline': on({ screen: 'locked', name: SHOP }, away),
  'no network': on(NO_NETWORK, away),
  refused: shown({ display: NO_NETWORK, ...away, linked: false }, { refused: true, payments: undefined }),
  'idle and offline': on({ ...IDLE, qr: staticQr() }, away),
  'missed and offline': on({ screen: 'missed', count: 3, amount: '1250000' }, away),
  joining: on(IDLE, { link: 'connecting' }),
  muted: on(IDLE, { settings: { ver: 1, volume: 0, lang: 'vi' } }),
  'no sound': on(IDLE, { faults: ['broken-audio'] }),
  'hidden amounts': shown(
    {},
    { payments: { history: { ...HISTORY, hidden: true }, nowMs: NOON_MS }, open: true },
  ),
  'open list': shown({}, { open: true }),
  'screen off': on({ screen: 'off' }),
} satisfies Record<string, Shown>

export type StateName = keyof typeof STATES
export const STATE_NAMES = Object.keys(STATES) as StateName[]

/** The same in English. */
export function inEnglish(state: Shown): Shown {
  const { speaker } = state
  const settings = { ver: 1, volume: speaker?.settings.volume ?? 80, lang: 'en' } as const
  return { ...state, lang: 'en', speaker: speaker && { ...speaker, settings } }
}

let script: Promise<string> | undefined

/** The page's own view, as a script that gives a page `gallery.show(state)` and `gallery.sheet(name)`. */
export function galleryScript(): Promise<string> {
  script ??= build({
    stdin: { contents: ENTRY, resolveDir: fileURLToPath(new URL('../../../../', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'gallery',
    conditions: ['browser'],
  }).then(({ outputFiles }) => outputFiles[0]?.text.replace('var gallery =', 'window.gallery =') ?? '')
  return script
}

/** The sheets that a page shows while it is no speaker. */
export const SHEETS = ['link', 'wrong link', 'replace', 'insecure', 'failed'] as const

const ENTRY = `
  import { createView } from './simulator/browser/view/view.ts'
  import { askForLink, askToReplace, trouble } from './simulator/browser/view/set-up.ts'
  const page = document.querySelector('main')
  const nothing = () => {}
  const actions = Object.fromEntries(
    ['switchOn', 'dismiss', 'reconnect', 'mend', 'adjust', 'hide', 'fullScreen'].map((name) => [name, nothing]),
  )
  let view
  /** Shows a state in a new view, or in the one that is there. */
  export function show({ open = false, ...state }, isNew = true) {
    if (isNew || !view) {
      view = createView(actions)
      page.className = 'one'
      page.replaceChildren(view.element)
    }
    view.show(state)
    const isOpen = view.element.querySelector('.payments').hasAttribute('data-open')
    if (isOpen !== open) view.element.querySelector('.sum').click()
  }
  /** Several speakers, as the page of a grid. */
  export function grid(states) {
    page.className = 'grid'
    page.replaceChildren(...states.map(({ open, ...state }) => {
      const one = createView(actions)
      one.show({ ...state, payments: undefined })
      return one.element
    }))
  }
  export function sheet(name) {
    page.className = ''
    switch (name) {
      case 'link': return void askForLink(page, 'speaker', undefined)
      case 'wrong link': return void askForLink(page, 'grid', { mistake: 'many', at: '51' })
      case 'replace': return void askToReplace(page, 'SB2026A00012', 'SB2026A00013')
      case 'insecure': return page.replaceChildren(trouble('insecure'))
      case 'failed': return page.replaceChildren(trouble('failed', 'no room on the disk'))
    }
  }
`
