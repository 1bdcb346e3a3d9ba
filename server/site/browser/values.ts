import { all, byId } from './shared/dom.ts'
import { say } from './shared/say.ts'

/** Characters that end a string or start an escape in most languages. */
const NEEDS_ESCAPING = /["'\\$`]/

/**
 * Fills the reader's values into every sample as text, while the reader types. Nothing is sent or stored. `onChange` gets
 * the name and text of every value, also of the initial ones.
 */
export function fillValues(onChange: (name: string, text: string) => void) {
  const inputs = all('[data-fills]', HTMLInputElement)
  const warning = byId('values-warning')
  for (const input of inputs) {
    const name = input.dataset.fills ?? ''
    const places = all(`[data-value="${name}"]`, HTMLElement)
    const fill = () => {
      // Pasted texts often have outer spaces; no value starts or ends with one.
      const trimmed = input.value.trim()
      // Paths start with a slash, and a pasted address may end with one.
      const text = name === 'HUB' ? trimmed.replace(/\/+$/, '') : trimmed
      for (const place of places) {
        const written = place.dataset.inPath === undefined ? text : encodeURIComponent(text.toWellFormed())
        place.textContent = text === '' ? `YOUR_${name}` : written
        place.classList.toggle('unset', text === '')
      }
      onChange(name, text)
    }
    input.addEventListener('input', () => {
      fill()
      warning.textContent = inputs.some(({ value }) => NEEDS_ESCAPING.test(value))
        ? say({
            en: 'A value contains a quote, $, ` or backslash: escape it in your code.',
            vi: 'Một giá trị có dấu nháy, $, ` hoặc dấu gạch chéo ngược: hãy thêm ký tự thoát trong chương trình của bạn.',
          })
        : ''
    })
    if (name === 'HUB') input.value = location.origin
    if (name === 'FT_CODE') input.value = newTransactionCode()
    fill()
  }
}

/** A new one for each visit, because a code belongs to one payment. */
function newTransactionCode(): string {
  return `FT${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
}
