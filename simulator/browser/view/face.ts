import { formatAmount } from '../../../protocol/money/amount.ts'
import { type Words, wordsOf } from '../../screen/display/words.ts'
import { clockText } from '../../screen/drawing/clock-text.ts'
import type { Display } from '../../speaker/device/display.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { button, element } from './element.ts'
import { type PageWords, pageWordsOf } from './page-words.ts'
import { qrPicture } from './qr-picture.ts'

/** Why there is no speaker yet, or no longer. */
export type Standstill =
  | { screen: 'starting' }
  /** The browser plays no sound before a tap. */
  | { screen: 'tap' }
  /** Another page of this browser is this speaker. */
  | { screen: 'elsewhere' }
  | { screen: 'broken'; reason: string }

export type Face = Display | Standstill

export interface FaceContext extends Pick<SpeakerSnapshot, 'link' | 'retryInMs' | 'serial'> {
  /** Somebody could hear it now. */
  audible: boolean
  lang: SpeakerSnapshot['settings']['lang']
  /** The hub has refused the login. */
  refused: boolean
}

export interface FaceActions {
  switchOn(): void
  dismiss(): void
  reconnect(): void
  /** Acts on the banner: switches the sound on, or reconnects. */
  mend(): void
}

/** Two faces with the same key look the same, except for the times that `tick` writes. */
export function faceKey(face: Face, { lang, refused, link, audible }: FaceContext): string {
  return JSON.stringify([{ ...face, secondsLeft: 0, reason: '' }, lang, refused, link, audible])
}

/** Draws a face: longer than 70 lines, one case for each screen. The class `tick` marks the texts of `timeOf`. */
export function drawFace(face: Face, context: FaceContext, actions: FaceActions): Node[] {
  const words = wordsOf(context.lang)
  const page = pageWordsOf(context.lang)
  const title = (text: string) => element('h2', 'title', text)
  const line = (text: string) => element('p', 'line', text)
  const also = (text: string) => element('p', 'also', text)
  const tick = () => element('p', 'line tick')
  switch (face.screen) {
    case 'off':
      return []
    case 'starting':
    case 'connecting':
      return [element('div', 'spinner'), title(words.connecting)]
    case 'tap': {
      const tap = button('tap', '', '', actions.switchOn)
      // Its texts are its name.
      tap.removeAttribute('aria-label')
      const sign = element('span', 'tap-sign')
      tap.append(sign, element('b', '', page.switchOn), element('span', 'line', page.whyTap))
      return [tap]
    }
    case 'elsewhere':
      return [title(page.elsewhere), line(page.elsewhereHelp)]
    case 'broken':
      return [title(page.broken), line(page.brokenHelp), element('p', 'small', face.reason)]
    case 'code':
      return [
        ...(face.amount === undefined ? [] : [also(`✓ ${words.received} ${formatAmount(face.amount)}`)]),
        title(words.code),
        large(face.code, 'digits code'),
        tick(),
      ]
    case 'payment':
    case 'paid': {
      const { alsoPaid } = face
      return [
        element('h2', 'title', '✓ ', face.screen === 'paid' ? words.paid : words.received),
        large(formatAmount(face.amount), 'digits amount'),
        ...(face.screen === 'paid' ? [line(`${words.bill} ${face.bill}`)] : []),
        ...(alsoPaid
          ? [also(`${words.paid}: ${formatAmount(alsoPaid.amount)} · ${words.bill} ${alsoPaid.bill}`)]
          : []),
      ]
    }
    case 'qr':
      return [
        large(formatAmount(face.amount), 'digits amount'),
        qrPicture(face.qr, `QR: ${words.scan}, ${formatAmount(face.amount)}, ${words.bill} ${face.bill}`),
        element('p', 'line', `${words.bill} ${face.bill} · `, element('span', 'tick')),
      ]
    case 'missed':
      return [
        title(`! ${words.missed(face.count)}`),
        large(formatAmount(face.amount), 'digits amount'),
        line(words.notSpoken),
        button('action', page.seen, page.seen, actions.dismiss),
      ]
    case 'idle':
      if (face.qr !== '')
        return [title(face.name), qrPicture(face.qr, `QR: ${words.scan}, ${face.name}`), line(words.scan)]
      return [
        title(face.name),
        line(context.link === 'welcomed' && context.audible ? words.ready : words.silent),
      ]
    case 'locked':
      // Without a line, the hub may have lifted the lock meanwhile. The banner says that there is none.
      return [
        title(`■ ${words.locked}`),
        line(face.name),
        line(words.silent),
        ...(context.link === 'welcomed' ? [line(words.askToUnlock)] : []),
      ]
    case 'unregistered':
      return [title(`○ ${words.unregistered}`), line(words.register), ...stepsOf(words, context.serial)]
    case 'no_network':
      return [
        title(`✕ ${context.refused ? page.refused : words.noNetwork}`),
        ...(context.refused ? [line(page.refusedHelp)] : []),
        line(words.silent),
        tick(),
        button('action', page.tryNow, page.tryNow, actions.reconnect),
      ]
  }
}

/** What the texts of a face say now that a second changes. */
export function timeOf(face: Face, { lang, retryInMs }: FaceContext): string {
  const words = wordsOf(lang)
  switch (face.screen) {
    case 'code':
    case 'qr':
      return words.timeLeft(clockText(face.secondsLeft))
    case 'no_network':
      return retryInMs === undefined ? '' : words.retry(Math.ceil(retryInMs / 1000))
    default:
      return ''
  }
}

/** The text beside the silent cone. Empty when the screen says it. */
export function restText(face: Face, { lang, link, retryInMs, audible }: FaceContext): string {
  const words = wordsOf(lang)
  if (face.screen === 'idle' && face.qr === '') return ''
  if (['idle', 'qr', 'payment', 'paid', 'missed'].includes(face.screen)) {
    if (link === 'welcomed') return audible ? words.ready : words.silent
    if (retryInMs !== undefined) return words.retry(Math.ceil(retryInMs / 1000))
  }
  return ''
}

/** The banner above a screen that does not say by itself that no payment can be heard. */
export function bannerOf(face: Face, context: FaceContext, soundIsOff: boolean): string | undefined {
  const words = wordsOf(context.lang)
  const page: PageWords = pageWordsOf(context.lang)
  const isStandstill = ['starting', 'tap', 'elsewhere', 'broken'].includes(face.screen)
  if (isStandstill) return undefined
  if (soundIsOff) return page.switchOnAgain
  if (context.link === 'welcomed' || ['connecting', 'no_network', 'off'].includes(face.screen))
    return undefined
  if (context.link !== 'offline') return `${words.connecting} ${words.silent}`
  return `✕ ${context.refused ? page.refused : words.noNetwork} · ${words.silent}`
}

/**
 * The state in a short text for a screen reader; undefined while the last one still holds: each attempt to connect would
 * say anew that there is no network. Payments have their sentences.
 */
export function newsOf(face: Face, context: FaceContext, soundIsOff: boolean): string | undefined {
  const words = wordsOf(context.lang)
  const page = pageWordsOf(context.lang)
  const joins = context.link === 'connecting' || context.link === 'born'
  if (joins && !['tap', 'elsewhere', 'broken'].includes(face.screen)) return undefined
  const warning = bannerOf(face, context, soundIsOff)
  const silent = warning ?? (context.audible ? '' : words.silent)
  const also = (...texts: string[]) => texts.filter((text) => text !== '').join('. ')
  switch (face.screen) {
    case 'tap':
      return page.switchOn
    case 'elsewhere':
      return also(page.elsewhere, page.elsewhereHelp)
    case 'broken':
      return also(page.broken, page.brokenHelp)
    case 'code':
      return also(warning ?? '', words.code, [...face.code].join(' '))
    case 'qr':
      return also(silent, words.scan, formatAmount(face.amount), `${words.bill} ${face.bill}`)
    case 'missed':
      return also(warning ?? '', words.missed(face.count), formatAmount(face.amount), words.notSpoken)
    case 'idle':
      return silent || words.ready
    case 'locked':
      return also(warning ?? '', words.locked, words.silent)
    case 'unregistered':
      return also(words.unregistered, words.register)
    case 'no_network':
      return also(context.refused ? page.refused : words.noNetwork, words.silent)
    case 'payment':
    case 'paid':
    case 'off':
    case 'starting':
    case 'connecting':
      return undefined
  }
}

/** How somebody registers this speaker: its serial, and the steps of the display. */
function stepsOf(words: Words, serial: string): Node[] {
  const steps = element('ol', 'steps', ...words.steps.map((step) => element('li', 'line', step)))
  // The steps have their numbers in their texts; without its marks some readers take a list for none.
  steps.setAttribute('role', 'list')
  return [element('p', 'line known', words.serial(serial)), steps]
}

/** A text as large as its line allows: the style sheet needs its length. */
function large(text: string, className: string): HTMLElement {
  const made = element('p', className, text)
  made.style.setProperty('--length', String(text.length))
  return made
}
