import type { Message, Part } from '../live/message.ts'
import { setClock, showAges } from './ages.ts'
import { elementOf } from './html.ts'

/** A stream that was refused is tried again after this time; each time in a row takes twice as long. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [5_000, 60_000]
/** So many new rows at once do not slide: nobody could follow them. */
const MOST_SLIDING = 6
const SLIDE = { duration: 450, easing: 'cubic-bezier(.2, .8, .2, 1)' }
const AGES_EVERY_MS = 1_000

/** `still`: as it was loaded. `late`: the hub can't read its database. `over`: the session has ended. */
type State = 'still' | 'live' | 'late' | 'over'

/** Makes the first page live while somebody sees it. It works without: then it says of what time it is. */
export function startLine() {
  const state = document.getElementById('line-state')
  const rows = document.getElementById('line-rows')
  const path = state?.dataset.live
  if (!state || !rows || path === undefined) return
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let retryMs = FIRST_RETRY_MS
  let isOver = false

  function show(now: State) {
    for (const part of state?.querySelectorAll<HTMLElement>('[data-in]') ?? [])
      part.hidden = !part.dataset.in?.split(' ').includes(now)
    document.body.classList.toggle('is-live', now === 'live')
  }

  function open() {
    if (isOver || source || document.hidden || path === undefined) return
    const mine = new EventSource(path)
    source = mine
    mine.onmessage = ({ data }) => {
      retryMs = FIRST_RETRY_MS
      take(rows as HTMLElement, JSON.parse(data) as Message)
      show('live')
    }
    mine.addEventListener('late', () => show('late'))
    mine.addEventListener('end', ({ data }) => {
      isOver = data === 'session'
      show(isOver ? 'over' : 'still')
      if (isOver) close()
    })
    mine.onerror = () => {
      if (!isOver) show('still')
      // The browser tries again by itself, unless it was refused.
      if (mine.readyState !== EventSource.CLOSED || source !== mine) return
      close()
      retry = setTimeout(open, retryMs)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
  }

  function close() {
    source?.close()
    source = undefined
    clearTimeout(retry)
  }

  function follow() {
    if (!document.hidden) return open()
    close()
    if (!isOver) show('still')
  }

  setClock(Number(state.dataset.now))
  document.addEventListener('visibilitychange', follow)
  // A page that is kept for the back button has no stream.
  window.addEventListener('pagehide', close)
  window.addEventListener('pageshow', follow)
  setInterval(() => {
    if (!document.hidden) showAges()
  }, AGES_EVERY_MS)
  rows.addEventListener('animationend', ({ target }) => {
    if (target instanceof Element) target.classList.remove('arrived', 'just')
  })
  follow()
}

/** Shows what has changed. Every part comes whole, by its id. */
function take(rows: HTMLElement, { now, at, rows: changed, order, parts }: Message) {
  setClock(now)
  const time = document.getElementById('line-at')
  if (time) time.textContent = at
  for (const part of parts) replace(part)
  const slide = slideFrom(rows)
  const added = changed.flatMap((part) => replaceRow(part) ?? [])
  if (order) arrange(rows, order, added)
  slide(added)
  showAges()
}

function replace([id, html]: Part): readonly [Element, Element] | undefined {
  const [old, fresh] = [document.getElementById(id), elementOf(html)]
  if (!old || !fresh) return undefined
  // A link in it may have the focus.
  const active = document.activeElement
  const focused = active ? [...old.querySelectorAll<Element>('a')].indexOf(active) : -1
  old.replaceWith(fresh)
  if (focused >= 0) fresh.querySelectorAll('a')[focused]?.focus()
  return [old, fresh]
}

/** Returns a row that is new. In one that was there, the stages light up that it has just reached. */
function replaceRow(part: Part): HTMLTableRowElement | undefined {
  const old = document.getElementById(part[0])
  if (!old) {
    const fresh = elementOf(part[1])
    return fresh instanceof HTMLTableRowElement ? fresh : undefined
  }
  const hadFocus = document.activeElement === old
  const lit = new Set([...old.querySelectorAll('.lit')].map(nameOf))
  const [, fresh] = replace(part) ?? []
  if (!(fresh instanceof HTMLTableRowElement)) return undefined
  if (hadFocus) {
    fresh.tabIndex = -1
    fresh.focus()
  }
  for (const stage of fresh.querySelectorAll('.lit')) if (!lit.has(nameOf(stage))) stage.classList.add('just')
  return undefined
}

/** The stage of an announcement, which is named by its speaker. */
function nameOf(step: Element): string {
  return `${step.parentElement?.ariaLabel} ${step.className.replace(' just', '')}`
}

/** Puts the rows in order. Rows that stay where they are are not touched, so that what moves in them goes on. */
function arrange(rows: HTMLElement, order: readonly string[], added: readonly HTMLTableRowElement[]) {
  const fresh = new Map(added.map((row) => [row.id, row]))
  const shown = new Set(order)
  for (const row of [...rows.children]) if (!shown.has(row.id)) row.remove()
  let at = rows.firstElementChild
  for (const id of order) {
    if (at?.id === id) {
      at = at.nextElementSibling
      continue
    }
    const row = fresh.get(id) ?? document.getElementById(id)
    if (row) rows.insertBefore(row, at)
  }
}

/** Remembers where the rows are. The returned function lets new ones slide in, and the others make room. */
function slideFrom(rows: HTMLElement): (added: readonly HTMLTableRowElement[]) => void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const before = isCalm
    ? []
    : [...rows.children].map((row) => [row, row.getBoundingClientRect().top] as const)
  const wasEmpty = rows.children.length === 0
  return (added) => {
    if (wasEmpty && added.length > 1) return
    for (const row of added) row.classList.add('arrived')
    if (isCalm || added.length === 0 || added.length > MOST_SLIDING) return
    for (const [row, top] of before) {
      const by = top - row.getBoundingClientRect().top
      if (row.isConnected && by !== 0)
        row.animate([{ transform: `translateY(${by}px)` }, { transform: 'none' }], SLIDE)
    }
    for (const row of added)
      row.animate(
        [
          { transform: 'translateX(-24px)', opacity: 0 },
          { transform: 'none', opacity: 1 },
        ],
        SLIDE,
      )
  }
}
