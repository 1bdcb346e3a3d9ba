import { all } from './shared/dom.ts'

const REMEMBERED = 'documentation.language'

/** Makes the language tabs work: one choice for all samples of the page, stored for the next visit. */
export function languageTabs() {
  const tabs = all('[role=tab]', HTMLButtonElement)
  const remembered = stored((storage) => storage.getItem(REMEMBERED))
  if (remembered && tabs.some((tab) => tab.dataset.language === remembered)) show(tabs, remembered)

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
  const targets = new Map([
    ['ArrowRight', (at + 1) % tabs.length],
    ['ArrowLeft', at - 1],
    ['Home', 0],
    ['End', -1],
  ])
  const target = targets.get(key)
  return target === undefined ? undefined : tabs.at(target)
}

/** Shows the language in all samples, and scrolls so that the tab keeps its position on the screen. */
function choose(tabs: readonly HTMLButtonElement[], tab: HTMLButtonElement) {
  const before = tab.getBoundingClientRect().top
  const language = tab.dataset.language ?? ''
  show(tabs, language)
  stored((storage) => storage.setItem(REMEMBERED, language))
  window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
}

/** Shows the language in each list of tabs that has it. The other lists stay as they are. */
function show(tabs: readonly HTMLButtonElement[], language: string) {
  const isOf = (tab: HTMLButtonElement) => tab.dataset.language === language
  const lists = new Set(tabs.filter(isOf).map((tab) => tab.parentElement))
  for (const tab of tabs.filter(({ parentElement }) => lists.has(parentElement))) {
    const chosen = isOf(tab)
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

/** Uses the browser's storage. A browser may refuse it; then the choice lasts as long as the page. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}
