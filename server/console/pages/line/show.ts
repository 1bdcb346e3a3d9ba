import type { NewestPayment } from '../../../payments/ports.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { type LineLook, SHOWN } from '../../live/look.ts'
import type { Piece, Shown } from '../../live/watch.ts'
import { ageOf, ago, money, when } from '../../parts/format.ts'
import type { Both, Lang } from '../../parts/words.ts'
import { resultsPart, wrongPart } from './figures.ts'
import { trackOf } from './track.ts'
import { grouped, sampledOf, words } from './words.ts'

/** Speakers of one payment whose ways are shown. */
const MOST_TRACKS = 3
/** Without a payment for so long, the page says that it is quiet. */
const QUIET_MS = 2 * 60_000

/** The heads of the columns. */
export const HEADS: readonly Both[] = [
  ['When', 'Lúc'],
  ['Shop', 'Cửa hàng'],
  ['Amount', 'Số tiền'],
  ['On its way to the speaker', 'Đường đến loa'],
]

/** A row, as the page has it and as a stream replaces it. It is short: there are fifty of them. */
function rowIn(id: string, payment: NewestPayment, now: number, lang: Lang): Html {
  const { receivedAt, storeName, terminalID, amount } = payment
  return html`<tr id="${id}"><td><b data-age="${receivedAt}">${ago(receivedAt, now, lang)}</b><small>${when(receivedAt)}</small></td><td><b>${storeName}</b><small>${terminalID}</small></td><td class="number"><a href="/payments/${payment.id}">${money(amount)}</a></td><td>${tracksOf(payment, lang)}</td></tr>`
}

function tracksOf({ announcements, receivedAt }: NewestPayment, lang: Lang): Html {
  if (announcements.length === 0) return html`<span class="none">${words(lang).noSpeaker}</span>`
  const more = announcements.length - MOST_TRACKS
  const shown = announcements.slice(0, MOST_TRACKS)
  return html`${shown.map((trail) => trackOf(trail, receivedAt, lang))}${more > 0 ? html`<small>+${more}</small>` : ''}`
}

/** Of each look, once for all who see it in the same language. */
const made = new WeakMap<LineLook, Partial<Record<Lang, Shown>>>()

/** What the page shows of a look, by ids: as the page has it at first, and as a stream replaces it. */
export function shownIn(look: LineLook, lang: Lang): Shown {
  const inLangs = made.get(look) ?? {}
  made.set(look, inLangs)
  inLangs[lang] ??= show(look, lang)
  return inLangs[lang]
}

function show(look: LineLook, lang: Lang): Shown {
  const { now, payments, results, needs } = look
  const row = (payment: LineLook['payments'][number]): Piece => {
    const id = `p${payment.cursor}`
    return piece(id, JSON.stringify(payment), () => rowIn(id, payment, now, lang))
  }
  return {
    rows: payments.map(row),
    parts: [
      piece('line-note', noteKey(look), () => notePart(look, lang)),
      piece('line-results', JSON.stringify(results), () => resultsPart(results, lang)),
      piece('line-wrong', JSON.stringify(needs ?? null), () => wrongPart(needs, now, lang)),
    ],
    at: when(now),
  }
}

function piece(id: string, key: string, render: () => Html): Piece {
  let rendered: Html | undefined
  return {
    ...{ id, key },
    html() {
      rendered ??= render()
      return rendered
    },
  }
}

function quietSince({ now, payments }: LineLook): number | undefined {
  const newestAt = payments[0]?.receivedAt
  return newestAt !== undefined && now - newestAt >= QUIET_MS ? newestAt : undefined
}

function noteKey(look: LineLook): string {
  return [look.payments.length, look.came, quietSince(look)].join()
}

/** What the rows are: all that came, or a part of them. */
function notePart(look: LineLook, lang: Lang): Html {
  const w = words(lang)
  const since = quietSince(look)
  const { payments, came, now } = look
  const said =
    payments.length === 0
      ? w.none
      : came !== undefined
        ? html`<strong>${sampledOf(SHOWN, came, lang)}</strong>`
        : since !== undefined
          ? html`${w.quiet} ${ageOf(since, now, lang)}.`
          : `${w.newest}: ${grouped(payments.length, lang)}`
  return html`<p id="line-note" class="note">${said}</p>`
}
