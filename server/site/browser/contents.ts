import { all } from './shared/dom.ts'

/** Marks the current section in the contents: the last one that starts in the upper third, or the last at the page's end. */
export function followContents() {
  const links = all('.contents a', HTMLAnchorElement)
  const sections = links.flatMap((link) => {
    const section = document.getElementById(link.hash.slice(1))
    return section ? [{ link, section }] : []
  })
  const markCurrent = () => {
    const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2
    const line = atEnd ? Number.POSITIVE_INFINITY : innerHeight / 3
    const read = sections.findLast(({ section }) => section.getBoundingClientRect().top < line) ?? sections[0]
    for (const { link } of sections) {
      if (link === read?.link) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  addEventListener('scroll', markCurrent, { passive: true })
  markCurrent()
}
