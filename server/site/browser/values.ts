import { all, byId } from './dom.ts'

/** What breaks out of a string of most languages. */
const NEEDS_ESCAPING = /["'\\$`]/

/**
 * Fills what the reader types into every sample, as text, at once. It stays in the page: nothing here sends
 * or stores. `onChange` hears the name and the text of every value, also of those that are there at the start.
 */
export function fillValues(onChange: (name: string, text: string) => void) {
  const inputs = all('[data-fills]', HTMLInputElement)
  const warning = byId('values-warning', HTMLElement)
  for (const input of inputs) {
    const name = input.dataset.fills ?? ''
    const places = all(`[data-value="${name}"]`, HTMLElement)
    const fill = () => {
      // What is pasted often brings a space; no value begins or ends with one.
      const trimmed = input.value.trim()
      // Paths begin with the slash that a pasted address may end with.
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
        ? 'A value has a quote, $, ` or backslash: escape it in your code as your language wants.'
        : ''
    })
    if (name === 'HUB') input.value = location.origin
    if (name === 'FT_CODE') input.value = newTransactionCode()
    fill()
  }
}

/** Another one each visit: a payment is reported under a code once. */
function newTransactionCode(): string {
  return `FT${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
}
