import type { Say } from '../../platform/language/words.ts'
import { type Html, html } from './html.ts'

/** A button that copies the text of the shown element of `selector`; `browser/shared/copy.ts` makes it work. */
export function copyButton(say: Say, selector: string): Html {
  return html`<button type="button" class="copy" data-copies="${selector}" aria-live="polite">${say({ en: 'Copy', vi: 'Sao chép' })}</button>`
}
