import { type Html, html } from '../../../site/parts/html.ts'
import type { LineLook } from '../../live/look.ts'
import { timeOf } from '../../parts/format.ts'
import type { Page, PageRoute } from '../../parts/visit.ts'
import { inLang, type Lang } from '../../parts/words.ts'
import { HEADS, shownIn } from './show.ts'
import { words } from './words.ts'

/** Where the page gets its changes from. */
const LIVE = '/line/live'
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A proxy must not collect it.
  'X-Accel-Buffering': 'no',
}
/** Before a browser that found no place asks again, seconds. */
const RETRY_S = '30'

/** The newest payments on their way to the speakers, and what is wrong now. */
export const linePage: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/',
    role: 'viewer',
    answer: async ({ lang, line }) => pageOf(await line.read(), lang),
  },
  {
    method: 'GET',
    path: LIVE,
    role: 'viewer',
    answer({ c, lang, line, who }) {
      // Nobody would read its body.
      if (c.req.raw.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
      const show = (look: LineLook) => shownIn(look, lang)
      const body = line.open({ session: who, show })
      if (!body) return c.text(words(lang).full, 503, { 'Retry-After': RETRY_S })
      return c.body(body, 200, STREAM_HEADERS)
    },
  },
]

/** Each part is what the stream replaces, by its id. Without scripts the page says of what time it is. */
function pageOf(look: LineLook, lang: Lang): Page {
  const { rows, parts } = shownIn(look, lang)
  const heads = HEADS.map((head) => html`<th scope="col">${inLang(head, lang)}</th>`)
  const [note, ...figures] = parts.map((part) => part.html())
  return {
    title: words(lang).title,
    body: html`${stateOf(look, lang)}
<div class="line">
<div class="figures">${figures}</div>
<div class="newest">
${note ?? ''}
<div class="scrolls" tabindex="0"><table>
<thead><tr>${heads}</tr></thead>
<tbody id="line-rows">${rows.map((row) => row.html())}</tbody>
</table></div>
</div>
</div>`,
  }
}

/** Whether the page is live. The script shows what is for its state. */
function stateOf({ now }: LineLook, lang: Lang): Html {
  const w = words(lang)
  return html`<p id="line-state" role="status" data-live="${LIVE}" data-now="${now}">
<span data-in="live" class="live" hidden>${w.live}</span>
<span data-in="still">${w.asOf}</span><span data-in="late" hidden>${w.late}</span><span data-in="over" hidden>${w.over}</span>
<span data-in="still late over"><span id="line-at">${timeOf(now, lang)}</span>. <a href="/">${w.again}</a></span>
</p>`
}
