import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Language } from '../../../protocol/money/language.ts'
import { timeOfDay } from '../../screen/drawing/clock-text.ts'
import { dateOf, type Entry, type History, todayOf } from '../history/history.ts'
import { button, drawing, element } from './element.ts'
import { type PageWords, pageWordsOf } from './page-words.ts'

export interface PaymentsState {
  history: History
  /** By the hub's clock. */
  nowMs: number
}

/** An eye, open. The style sheet strikes it through. */
const EYE = 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12zM12 9a3 3 0 1 0 0 6a3 3 0 1 0 0-6'

/** The sum of today, and the last payments below it: some, or all when somebody opens the list. */
export function createPayments(actions: { hide(hidden: boolean): void }) {
  let isOpen = false
  let hidden = false
  let drawn = ''
  let screen = ''
  const list = element('ol', 'list')
  list.id = `payments-${Math.random().toString(36).slice(2)}`
  list.setAttribute('role', 'list')
  const setOpen = (open: boolean) => {
    isOpen = open
    root.toggleAttribute('data-open', open)
    sum.setAttribute('aria-expanded', String(open))
    // A list that scrolls is reached by the keyboard.
    list.tabIndex = open ? 0 : -1
    if (!open) list.scrollTop = 0
  }
  const sum = button('sum', '', '', () => setOpen(!isOpen))
  sum.removeAttribute('aria-label')
  sum.setAttribute('aria-controls', list.id)
  const eye = button('key eye', '', drawing('sign', 24, EYE), () => actions.hide(!hidden))
  const root = element('section', 'payments', element('div', 'today', sum, eye), list)
  setOpen(false)
  return {
    element: root,
    /** `face`: what the screen shows. */
    show(state: PaymentsState | undefined, lang: Language, face: string) {
      root.hidden = state?.history.shop === undefined
      // A code or a QR needs the room of the list.
      if (face !== screen && ['code', 'qr'].includes(face)) setOpen(false)
      screen = face
      if (!state) return
      const { history, nowMs } = state
      hidden = history.hidden
      const today = todayOf(history, nowMs)
      const key = JSON.stringify([history.entries, today, hidden, lang, dateOf(nowMs)])
      if (key === drawn) return
      drawn = key
      const words = pageWordsOf(lang)
      root.setAttribute('aria-label', words.payments)
      eye.setAttribute('aria-label', words.hide)
      eye.setAttribute('aria-pressed', String(hidden))
      sum.title = words.showList
      sum.replaceChildren(
        element('span', '', words.today(today.count), ' ', amountOf(today.amount, hidden, words)),
      )
      list.replaceChildren(
        ...history.entries.map((entry) => rowOf(entry, nowMs, hidden, words)),
        ...(history.entries.length === 0 ? [element('li', 'none', words.noPayments)] : []),
      )
    },
  }
}

function rowOf({ kind, atMs, count, amount }: Entry, nowMs: number, hidden: boolean, words: PageWords) {
  const time = element('time', '', timeText(atMs, nowMs))
  time.setAttribute('datetime', new Date(atMs).toISOString())
  const how = element('span', 'how', kind === 'missed' ? `! ${words.unspoken(count)}` : '')
  return element('li', kind, time, ' ', how, ' ', amountOf(amount, hidden, words))
}

/** An amount, or dots in its place: a hidden amount is nowhere in the page. */
function amountOf(amount: string, hidden: boolean, words: PageWords): HTMLElement {
  if (!hidden) {
    const text = formatAmount(amount)
    const shown = element('b', '', text)
    shown.style.setProperty('--length', String(text.length))
    return shown
  }
  const dots = element('span', '', '•••')
  dots.setAttribute('aria-hidden', 'true')
  return element('b', 'hidden', dots, element('span', 'for-ears', words.hidden))
}

/** Hours and minutes, and the day ahead of them when it is not today. */
function timeText(atMs: number, nowMs: number): string {
  const time = timeOfDay(atMs).slice(0, 'hh:mm'.length)
  const date = dateOf(atMs)
  if (date === dateOf(nowMs)) return time
  const [, month, day] = date.split('-')
  return `${day}/${month} ${time}`
}
