import type { Say } from '../../platform/language/words.ts'
import { copyButton } from './copy-button.ts'
import { type Html, html } from './html.ts'

/** For boxes whose text no browser should correct or keep. */
export const QUIET = html`autocomplete="off" autocapitalize="off" spellcheck="false"`

/** A computed text with a title and a copy button. */
export function result(say: Say, id: string, title: Html | string): Html {
  return html`<div class="result">
      <div class="result-bar"><span id="${id}-title">${title}</span>${copyButton(say, `#${id}`)}</div>
      <div class="result-text" id="${id}" role="group" aria-labelledby="${id}-title"></div>
    </div>`
}
