import type { Say } from '../../platform/language/words.ts'
import { type Html, html } from '../parts/html.ts'

/** The title of an answer with its status. */
export function answerTitle(say: Say, status: number): Html {
  return html`${say({ en: 'Answer', vi: 'Câu trả lời' })} <span class="status">${status}</span>`
}
