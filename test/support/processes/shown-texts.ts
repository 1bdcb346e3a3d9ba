import type { Page } from 'playwright-core'

/** The texts that a page shows after its scripts have run, and its speaking attributes, without code and typed text. */
export const shown = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const CODE = 'code, pre, script, style, template, textarea, noscript, .result-text, .difference dd, .renderedMarkdown'
    const texts = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest(CODE)) texts.push(walker.currentNode.data)
    for (const element of document.body.querySelectorAll('*'))
      for (const name of ['title', 'aria-label', 'placeholder', 'alt']) texts.push(element.getAttribute(name) ?? '')
    return texts.map((text) => text.replace(/\\s+/g, ' ').trim()).filter(Boolean)
  })()`)
