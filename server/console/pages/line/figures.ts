import type { Result } from '../../../payments/day-sum.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { COUNTED, type Results } from '../../live/look.ts'
import { LOW_BATTERY, type Needs } from '../../live/needs.ts'
import { ageOf, span } from '../../parts/format.ts'
import type { Lang } from '../../parts/words.ts'
import { countOf, grouped, words } from './words.ts'

/** Results in the order of the page, each with the stage by which the list of payments finds them. */
const SHOWN: readonly (readonly [result: Result, stage: string | undefined])[] = [
  ['played', 'played'],
  ['delivered', 'delivered'],
  ['missed', 'expired'],
  ['failed', 'failed'],
  ['open', undefined],
  ['suppressed', 'suppressed'],
]

const RARE: readonly Result[] = ['suppressed', 'delivered']

/** What became of the last payments, and how long the money took to be heard. */
export function resultsPart({ count, of, withoutSpeaker, p50, p95 }: Results, lang: Lang): Html {
  const w = words(lang)
  // Rare ones are left out while there are none.
  const shown = SHOWN.filter(([result]) => !RARE.includes(result) || of[result] > 0)
  return html`<section id="line-results" class="results" aria-label="${w.results}">
<h2>${countOf('last', count === 0 ? COUNTED : count, lang)}</h2>
${barOf(of, withoutSpeaker)}
<dl>${shown.map(
    ([result, stage]) =>
      html`<div class="${result}${of[result] === 0 ? ' zero' : ''}"><dt>${w[result]}</dt><dd>${stage === undefined ? grouped(of[result], lang) : html`<a href="/payments?stage=${stage}">${grouped(of[result], lang)}</a>`}</dd></div>`,
  )}${withoutSpeaker > 0 ? html`<div class="suppressed"><dt>${w.withoutSpeaker}</dt><dd>${grouped(withoutSpeaker, lang)}</dd></div>` : ''}
<div class="took"><dt>${w.p50}</dt><dd>${tookOf(p50, lang)}</dd></div><div class="took"><dt>${w.p95}</dt><dd>${tookOf(p95, lang)}</dd></div></dl>
</section>`
}

const tookOf = (ms: number | undefined, lang: Lang) => (ms === undefined ? '–' : span(ms, lang))

/** The shares of the results, as a picture: its numbers stand below. */
function barOf(of: Results['of'], withoutSpeaker: number): Html {
  const parts = [
    ...SHOWN.map(([result]) => [result, of[result]] as const),
    ['suppressed', withoutSpeaker] as const,
  ]
  let at = 0
  const bars = parts.map(([result, n]) => {
    const bar = n === 0 ? '' : html`<rect class="${result}" x="${at}" width="${n}" height="1"/>`
    at += n
    return bar
  })
  return html`<svg class="shares" viewBox="0 0 ${Math.max(at, 1)} 1" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`
}

/** What needs somebody, each with the list of it. */
export function wrongPart(needs: Needs | undefined, now: number, lang: Lang): Html {
  const w = words(lang)
  return html`<section id="line-wrong" class="wrong" aria-label="${w.wrong}">
<h2>${w.wrong}${needs ? html` <small>${w.counted} ${ageOf(needs.at, now, lang)}</small>` : ''}</h2>
${needs ? listOfNeeds(needs, lang) : html`<p class="none">${w.counting}</p>`}
</section>`
}

function listOfNeeds({ offline, silent, lowBattery, webhooks, retentionWaits }: Needs, lang: Lang): Html {
  const { failing, disabled } = webhooks
  const counts = [
    ['offline', offline, '/devices?state=offline'],
    ['silent', silent, '/devices?silence=24h'],
    ['lowBattery', lowBattery, `/devices?battery=${LOW_BATTERY}`],
    ['failing', failing, '/webhooks?state=failing'],
    ['disabled', disabled.gone + disabled.failing, '/webhooks?state=disabled'],
  ] as const
  const found = [
    ...counts.flatMap(([what, n, path]) => (n > 0 ? [{ what, path, text: countOf(what, n, lang) }] : [])),
    ...(retentionWaits ? [{ what: 'retention', path: '/clock', text: words(lang).retention }] : []),
  ]
  if (found.length === 0) return html`<p class="fine">${words(lang).fine}</p>`
  return html`<ul>${found.map(({ what, path, text }) => html`<li class="${what}"><a href="${path}">${text}</a></li>`)}</ul>`
}
