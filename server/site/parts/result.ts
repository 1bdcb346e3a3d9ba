import { type Html, html } from './html.ts'

/** For boxes whose text no browser should correct or keep. */
export const QUIET = html`autocomplete="off" autocapitalize="off" spellcheck="false"`

/** A computed text with a title and a copy button. */
export function result(id: string, title: Html | string): Html {
  return html`<div class="result">
      <div class="result-bar"><span id="${id}-title">${title}</span><button type="button" class="copy" data-copies="#${id}" aria-live="polite">Copy</button></div>
      <div class="result-text" id="${id}" role="group" aria-labelledby="${id}-title"></div>
    </div>`
}
