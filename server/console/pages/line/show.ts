import type { NewestPayment } from '../../../payments/ports.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { type LineLook, SHOWN } from '../../live/look.ts'
import type { Piece, Shown } from '../../live/watch.ts'
import { ageOf, money, timeOf, when } from '../../parts/format.ts'
import { type Column, rowOf } from '../../parts/list.ts'
import type { Lang } from '../../parts/words.ts'
import { resultsPart, wrongPart } from './figures.ts'
import { trackOf } from './track.ts'
import { grouped, sampledOf, words } from './words.ts'

/** Speakers of one payment whose ways are shown. */
const MOST_TRACKS = 3
/** Without a payment for so long, the page says that it is quiet. */
const QUIET_MS = 2 * 60_000

export function columnsIn(lang: Lang, now: number): readonly Column<NewestPayment>[] {
  return [
    {
      name: 'receivedAt',
      head: ['When', 'Lúc'],
      cell: ({ receivedAt }) =>
        html`<strong class="ago">${ageOf(receivedAt, now, lang)}</strong> <small>${timeOf(receivedAt, lang)}</small>`,
      file: ({ receivedAt }) => receivedAt,
    },
    {
      name: 'storeName',
      head: ['Shop', 'Cửa hàng'],
      cell: ({ storeName, terminalID }) => html`<strong>${storeName}</strong> <small>${terminalID}</small>`,
      file: ({ storeName }) => storeName,
    },
    {
      name: 'amount',
      head: ['Amount', 'Số tiền'],
      cell: ({ id, amount }) => html`<a class="amount" href="/payments/${id}">${money(amount)}</a>`,
      file: ({ amount }) => amount,
      isNumber: true,
    },
    {
      name: 'stages',
      head: ['On its way to the speaker', 'Đường đến loa'],
      cell: (payment) => tracksOf(payment, lang),
      file: () => '',
    },
  ]
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
  const columns = columnsIn(lang, now)
  const row = (payment: LineLook['payments'][number]): Piece => {
    const id = `p-${payment.id}`
    const { cursor: _, ...shown } = payment
    return piece(id, JSON.stringify(shown), () => rowOf(payment, columns, lang, () => id))
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
