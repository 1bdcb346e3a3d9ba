import { formatAmount } from '../../../protocol/money/amount.ts'
import { when } from '../../operate/for-people.ts'
import { type Html, html } from '../../site/parts/html.ts'
import { ago, never, span } from './age.ts'
import type { Lang } from './words.ts'

export { ago, formatAmount as money, never, span, when }

/** An instant for people, which a script can count on from: `2026-11-20 10:15:30+07:00`. */
export function timeOf(at: number | undefined, lang: Lang): Html | string {
  return at === undefined
    ? never(lang)
    : html`<time datetime="${new Date(at).toISOString()}">${when(at)}</time>`
}

/** How long ago an instant was. A script counts it on: see browser/ages.ts. */
export function ageOf(at: number, now: number, lang: Lang): Html {
  return html`<span data-age="${at}">${ago(at, now, lang)}</span>`
}
