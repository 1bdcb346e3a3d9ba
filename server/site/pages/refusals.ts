import { publicError } from '../../http/errors/catalogue.ts'
import type { ErrorName } from '../../platform/errors.ts'
import type { Say } from '../../platform/language/words.ts'
import { type Html, html } from '../parts/html.ts'
import type { Refusals } from '../steps/requests.ts'

/** The errors that readers often get, each with its code and an advice. */
export function refusalList(say: Say, refusals: Refusals): Html {
  const entries = Object.entries(refusals).map(([name, advice]) => {
    // Object.entries widens the type of the names.
    const { code, error } = publicError(name as ErrorName)
    return html`<li><p class="refusal"><code class="error-code">${code}</code> <code class="error-name">${error}</code></p><p>${say(advice)}</p></li>`
  })
  return html`<h3>${say({ en: 'When it is refused', vi: 'Khi bị từ chối' })}</h3>
  <ul class="refusals">${entries}</ul>`
}
