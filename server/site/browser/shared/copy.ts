import { all } from './dom.ts'
import { say } from './say.ts'

/** How long a button shows that it has copied. */
const SAID_MS = 1_600

/** Makes every copy button copy the text of its element. */
export function copyButtons(within: ParentNode = document) {
  for (const button of all('[data-copies]', HTMLButtonElement, within)) {
    const label = button.textContent
    let said: ReturnType<typeof setTimeout> | undefined
    button.addEventListener('click', async () => {
      const done = await copy(shownSource(button))
      button.textContent = done
        ? say({ en: 'Copied', vi: 'Đã chép' })
        : say({ en: 'Select and copy', vi: 'Hãy chọn rồi chép' })
      clearTimeout(said)
      said = setTimeout(() => {
        button.textContent = label
      }, SAID_MS)
    })
  }
}

/** The visible one of a button's elements. */
function shownSource(button: HTMLButtonElement): HTMLElement | undefined {
  const selector = button.dataset.copies ?? ''
  return all(selector, HTMLElement).find((found) => found.closest('[hidden]') === null)
}

async function copy(source: HTMLElement | undefined): Promise<boolean> {
  if (!source) return false
  const text = source.textContent
  // Browsers offer the clipboard only over https and on localhost.
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // The browser refused: try the older way.
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
