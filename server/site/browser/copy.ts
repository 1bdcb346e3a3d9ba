import { all } from './dom.ts'

/** For how long a button says that it has copied. */
const SAID_MS = 1_600

/** Makes every copy button copy the text of the element that it names. */
export function copyButtons() {
  for (const button of all('[data-copies]', HTMLButtonElement)) {
    const label = button.textContent
    let said: ReturnType<typeof setTimeout> | undefined
    button.addEventListener('click', async () => {
      const done = await copy(shownSource(button))
      button.textContent = done ? 'Copied' : 'Select and copy'
      clearTimeout(said)
      said = setTimeout(() => {
        button.textContent = label
      }, SAID_MS)
    })
  }
}

/** Of several elements that a button stands for, the one that is shown. */
function shownSource(button: HTMLButtonElement): HTMLElement | undefined {
  const selector = button.dataset.copies ?? ''
  return all(selector, HTMLElement).find((found) => found.closest('[hidden]') === null)
}

async function copy(source: HTMLElement | undefined): Promise<boolean> {
  if (!source) return false
  const text = source.dataset.exact ?? source.textContent
  // Only pages over https or on the same machine have the clipboard.
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // Not permitted: the older way may be.
    }
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', put, { capture: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', put, { capture: true })
  }
}
