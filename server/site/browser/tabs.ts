import { all } from './dom.ts'

const REMEMBERED = 'documentation.language'

/** Makes the language tabs work: one choice for all samples of the page, stored for the next visit. */
export function languageTabs() {
  const tabs = all('[role=tab]', HTMLButtonElement)
  const languages = new Set(tabs.map((tab) => tab.dataset.language ?? ''))
  const remembered = recall()
  if (remembered !== undefined && languages.has(remembered)) show(tabs, remembered)

  for (const tab of tabs) {
    tab.addEventListener('click', () => choose(tabs, tab))
    tab.addEventListener('keydown', (event) => {
      const target = neighbour(tab, event.key)
      if (!target) return
      event.preventDefault()
      choose(tabs, target)
      target.focus({ preventScroll: true })
    })
  }
}

/** The tab of the same list that a key selects. */
function neighbour(tab: HTMLButtonElement, key: string): HTMLButtonElement | undefined {
  const list = tab.parentElement
  if (!list) return undefined
  const tabs = all('[role=tab]', HTMLButtonElement, list)
  const at = tabs.indexOf(tab)
  switch (key) {
    case 'ArrowRight':
      return tabs[(at + 1) % tabs.length]
    case 'ArrowLeft':
      return tabs.at(at - 1)
    case 'Home':
      return tabs[0]
    case 'End':
      return tabs.at(-1)
    default:
      return undefined
  }
}

/** Shows the language in all samples, and scrolls so that the tab keeps its position on the screen. */
function choose(tabs: readonly HTMLButtonElement[], tab: HTMLButtonElement) {
  const before = tab.getBoundingClientRect().top
  const language = tab.dataset.language ?? ''
  show(tabs, language)
  remember(language)
  window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
}

function show(tabs: readonly HTMLButtonElement[], language: string) {
  for (const tab of tabs) {
    const chosen = tab.dataset.language === language
    tab.setAttribute('aria-selected', String(chosen))
    tab.tabIndex = chosen ? 0 : -1
    const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '')
    panel?.toggleAttribute('hidden', !chosen)
    if (chosen) reveal(tab)
  }
}

/** Scrolls the tab into view within its list, for phones; the page does not scroll. */
function reveal(tab: HTMLButtonElement) {
  const list = tab.parentElement
  if (list) list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2
}

// A browser may refuse its storage; then the choice lasts as long as the page.

function recall(): string | undefined {
  try {
    return localStorage.getItem(REMEMBERED) ?? undefined
  } catch {
    return undefined
  }
}

function remember(language: string) {
  try {
    localStorage.setItem(REMEMBERED, language)
  } catch {
    return
  }
}
