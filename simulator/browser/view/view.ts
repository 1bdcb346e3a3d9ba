import type { Language } from '../../../protocol/money/language.ts'
import type { Adjustment } from '../../speaker/device/state/events.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { button, drawing, element } from './element.ts'
import {
  bannerOf,
  drawFace,
  type Face,
  type FaceActions,
  type FaceContext,
  faceKey,
  newsOf,
  restText,
  type Standstill,
  timeOf,
} from './face.ts'
import { type PageWords, pageWordsOf } from './page-words.ts'
import { createPayments, type PaymentsState } from './payments.ts'

export interface ViewActions extends FaceActions {
  adjust(change: Adjustment): void
  /** Hides the amounts of the list, or shows them again. */
  hide(hidden: boolean): void
  fullScreen(): void
}

/** What a view shows at one moment. */
export interface ViewState {
  serial: string
  lang: Language
  /** In the place of the speaker's own screen. */
  standstill: Standstill | undefined
  /** The speaker, once there is one. */
  speaker: SpeakerSnapshot | undefined
  refused: boolean
  /** The last payments, where the page keeps them; the time is the hub's. */
  payments: PaymentsState | undefined
}

export interface View {
  element: HTMLElement
  show(state: ViewState): void
}

const VOLUME_STEP = 10
/** The four corners of a screen. */
const CORNERS = 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5'

/** The drawn soundbox: screen, cone with the sentence, lights, keys. Its attributes say what it shows. */
export function createView(actions: ViewActions): View {
  const screen = element('div', 'screen')
  const banner = element('button', 'banner')
  const lights = element('ul', 'lights')
  // Without its marks some readers take a list for none.
  lights.setAttribute('role', 'list')
  const name = element('h1', 'serial')
  const keys = createKeys(actions)
  const sentence = createSentence()
  const forEars = createForEars()
  const payments = createPayments(actions)
  banner.addEventListener('click', actions.mend)
  const root = element(
    'section',
    'soundbox',
    element('header', 'edge', name, lights),
    element('div', 'bezel', banner, screen),
    payments.element,
    sentence.panel,
    keys.element,
    forEars.element,
  )
  let drawn = ''
  return {
    element: root,
    show(state) {
      const { serial, lang, speaker, standstill } = state
      const face: Face = standstill ?? speaker?.display ?? { screen: 'starting' }
      const soundIsOff = speaker?.faults.includes('broken-audio') ?? false
      const context: FaceContext = {
        lang,
        serial,
        refused: state.refused,
        link: speaker?.link ?? 'connecting',
        retryInMs: speaker?.retryInMs,
        audible: speaker !== undefined && !soundIsOff && speaker.settings.volume > 0,
      }
      root.lang = lang
      name.textContent = serial
      root.setAttribute('aria-label', serial)
      const marks = {
        serial,
        screen: face.screen,
        link: speaker?.link ?? 'none',
        played: String(speaker?.played ?? ''),
        sounding: speaker?.sounding?.kind ?? '',
      }
      for (const [name, value] of Object.entries(marks))
        if (root.dataset[name] !== value) root.dataset[name] = value
      const key = faceKey(face, context)
      if (key !== drawn) screen.replaceChildren(...drawFace(face, context, actions))
      drawn = key
      const time = timeOf(face, context)
      for (const tick of screen.querySelectorAll('.tick')) write(tick, time)
      const warning = bannerOf(face, context, soundIsOff)
      banner.hidden = warning === undefined
      write(banner, warning ?? '')
      sentence.show(speaker?.sounding, restText(face, context))
      forEars.show(speaker, newsOf(face, context, soundIsOff))
      const words = pageWordsOf(lang)
      showLights(lights, state, face, words)
      payments.show(state.payments, lang, face.screen)
      keys.show(speaker, words, lang)
    },
  }
}

/** The cone with the sentence. A screen reader has the texts of `createForEars`. */
function createSentence() {
  const spoken = element('b', '')
  const unspoken = element('span', 'unspoken')
  const rest = element('span', 'at-rest')
  const cone = element('div', 'cone', element('i', ''), element('i', ''), element('i', ''))
  const sentence = element('p', 'sentence', spoken, unspoken, rest)
  for (const hidden of [cone, sentence]) hidden.setAttribute('aria-hidden', 'true')
  return {
    panel: element('div', 'panel', cone, sentence),
    show(sounding: SpeakerSnapshot['sounding'], textAtRest: string) {
      const text = sounding?.kind === 'sentence' ? sounding.text : ''
      const begun = sounding?.kind === 'sentence' && text.startsWith(sounding.said) ? sounding.said : text
      write(spoken, sounding?.kind === 'beep' ? '♪ ♪ ♪' : begun)
      write(unspoken, text.slice(begun.length))
      write(rest, sounding ? '' : textAtRest)
    },
  }
}

/** How long a text stays for screen readers. Later, an amount that somebody has hidden must not be in the page. */
const FOR_EARS_MS = 10_000

/**
 * The one text that a screen reader reads aloud: each payment once, and each new state.
 *
 * Phone and screen reader often share one loudspeaker, and a live region waits for the screen reader's own voice alone.
 * So the text changes only while the speaker is silent: no customer hears an amount below another voice. It repeats what
 * was spoken, because a braille display has no other sign of a payment. It is polite, because nothing in it is lost if
 * the reader first ends its own sentence: the screen still shows it.
 */
function createForEars() {
  const region = element('p', 'for-ears')
  region.setAttribute('role', 'status')
  let waiting: string[] = []
  let last: number | undefined
  let state: string | undefined
  let isOdd = false
  let cleared: ReturnType<typeof setTimeout> | undefined
  return {
    element: region,
    show(speaker: SpeakerSnapshot | undefined, news: string | undefined) {
      const sounding = speaker?.sounding
      if (sounding?.kind === 'sentence' && sounding.n !== last) {
        last = sounding.n
        waiting.push(sounding.text)
      }
      if (sounding || (speaker?.waiting ?? 0) > 0) return
      if (news !== undefined && news !== state) {
        state = news
        waiting.push(news)
      }
      if (waiting.length === 0) return
      isOdd = !isOdd
      // A zero-width space makes a second payment of the same amount a new text for a screen reader.
      region.textContent = waiting.join('. ') + (isOdd ? '\u200B' : '')
      waiting = []
      clearTimeout(cleared)
      cleared = setTimeout(() => write(region, ''), FOR_EARS_MS)
    },
  }
}

/** The keys on the case: volume, language, full screen. */
function createKeys({ adjust, fullScreen }: ViewActions) {
  let speaker: SpeakerSnapshot | undefined
  /** The volume of the last touch, until the speaker has stored it: the next touch goes on from there. */
  let wanted: number | undefined
  const louder = (by: number) => () => {
    wanted = Math.min(100, Math.max(0, (wanted ?? speaker?.settings.volume ?? 0) + by))
    adjust({ volume: wanted })
  }
  const quieter = button('key', '', '−', louder(-VOLUME_STEP))
  const plus = button('key', '', '+', louder(VOLUME_STEP))
  const level = element('span', 'level')
  const meter = element('span', 'meter', level)
  const percent = element('output', 'percent')
  const language = button('key language', '', '', () =>
    adjust({ lang: speaker?.settings.lang === 'vi' ? 'en' : 'vi' }),
  )
  const full = button('key full', '', drawing('sign', 24, CORNERS), fullScreen)
  full.hidden = !document.fullscreenEnabled
  const keys = element('footer', 'keys', quieter, meter, percent, plus, language, full)
  return {
    element: keys,
    show(now: SpeakerSnapshot | undefined, words: PageWords, lang: Language) {
      speaker = now
      const volume = now?.settings.volume
      if (volume === wanted) wanted = undefined
      for (const key of [quieter, plus, language]) key.toggleAttribute('disabled', now === undefined)
      quieter.setAttribute('aria-label', words.quieter)
      plus.setAttribute('aria-label', words.louder)
      // The visible text comes first: who speaks to the phone says what stands on the key.
      language.setAttribute('aria-label', `${lang === 'vi' ? 'VI' : 'EN'}: ${words.language}`)
      full.setAttribute('aria-label', words.fullScreen)
      percent.setAttribute('aria-label', words.volume)
      write(percent, volume === undefined ? '' : volume === 0 ? words.lights.muted : `${volume} %`)
      level.style.width = `${volume ?? 0}%`
      write(language, lang === 'vi' ? 'VI' : 'EN')
    },
  }
}

/** The lights along the edge: line, shop, and alarm while there is one. Each has a colour and a word. */
function showLights(lights: HTMLElement, { speaker, refused }: ViewState, face: Face, words: PageWords) {
  const shown: [meaning: string, word: string][] = []
  if (speaker) {
    const offline = refused ? 'refused' : 'offline'
    const line = { welcomed: 'online', connecting: 'joining', born: 'joining', offline } as const
    const meaning = { welcomed: 'good', connecting: 'plain', born: 'plain', offline: 'bad' } as const
    shown.push([meaning[speaker.link], words.lights[line[speaker.link]]])
    if (speaker.linked) shown.push(['good', words.lights.shop])
    // Before the first welcome it does not know.
    else if (speaker.link === 'welcomed') shown.push(['quiet', words.lights.noShop])
    if (speaker.faults.includes('broken-audio')) shown.push(['notice', words.lights.noSound])
    else if (face.screen === 'locked') shown.push(['notice', words.lights.locked])
    else if (speaker.settings.volume === 0) shown.push(['notice', words.lights.muted])
    else if (face.screen === 'missed') shown.push(['notice', words.lights.missed])
  }
  const key = JSON.stringify(shown)
  if (lights.dataset.shown === key) return
  lights.dataset.shown = key
  lights.replaceChildren(...shown.map(([meaning, word]) => element('li', `light ${meaning}`, word)))
}

/** Writes a text only when it changes: each write is a new layout, and new words for a screen reader. */
function write(into: Element, text: string): void {
  if (into.textContent !== text) into.textContent = text
}
