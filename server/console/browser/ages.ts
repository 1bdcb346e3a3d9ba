import { ago } from '../parts/age.ts'
import type { Lang } from '../parts/words.ts'

/** How far the server's clock is ahead of this one, milliseconds. */
let aheadMs = 0

/** The hub has just said what time it is. */
export function setClock(now: number) {
  aheadMs = now - Date.now()
}

/** Counts the ages of the page on, by the server's clock: see ageOf in parts/format.ts. */
export function showAges() {
  const lang: Lang = document.documentElement.lang === 'vi' ? 'vi' : 'en'
  const now = Date.now() + aheadMs
  for (const element of document.querySelectorAll<HTMLElement>('[data-age]')) {
    const text = ago(Number(element.dataset.age), now, lang)
    if (element.textContent !== text) element.textContent = text
  }
}
