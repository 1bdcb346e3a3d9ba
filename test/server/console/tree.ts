/** A start tag with the names of its attributes, or an end tag. */
export type Node = string

/** Elements whose text has no tags in it. */
const RAW = ['script', 'style', 'textarea', 'title']

const SPACE = /[\t\n\f\r ]/

/**
 * The tags of a page in their order, as the HTML standard's tokenizer takes them: `<p class>`, `</p>`, `<!>` for what a parser
 * drops. Texts and the values of attributes are left out, so that two pages have the same ones unless a text has become markup.
 */
export function tagsOf(html: string): Node[] {
  const tags: Node[] = []
  let at = 0
  while (at < html.length) {
    const start = html.indexOf('<', at)
    if (start < 0) break
    const opened = /^<\/?([a-zA-Z][^\t\n\f\r />]*)/.exec(html.slice(start, start + 100))
    if (!opened) {
      // A `<` before another character is text, but for comments and declarations.
      if (/[!/?]/.test(html[start + 1] ?? '')) tags.push('<!>')
      at = start + 1
      continue
    }
    const [whole, name = ''] = opened
    const { names, end } = attributesOf(html, start + whole.length)
    tags.push(`${whole.toLowerCase()}${names.map((one) => ` ${one}`).join('')}>`)
    at = end
    if (!whole.startsWith('</') && RAW.includes(name.toLowerCase())) {
      const close = html.toLowerCase().indexOf(`</${name.toLowerCase()}`, end)
      at = close < 0 ? html.length : close
    }
  }
  return tags
}

/** The names of the attributes from `at` on, and where the tag ends. */
function attributesOf(html: string, from: number): { names: string[]; end: number } {
  const names: string[] = []
  let at = from
  const skip = (what: RegExp) => {
    while (at < html.length && what.test(html[at] ?? '')) at += 1
  }
  while (at < html.length) {
    skip(/[\t\n\f\r /]/)
    if (html[at] === '>') return { names, end: at + 1 }
    const start = at
    // A name may begin with `=`.
    at += 1
    skip(/[^\t\n\f\r />=]/)
    names.push(html.slice(start, at))
    skip(SPACE)
    if (html[at] !== '=') continue
    at += 1
    skip(SPACE)
    const quote = html[at]
    if (quote === '"' || quote === "'") {
      const close = html.indexOf(quote, at + 1)
      at = close < 0 ? html.length : close + 1
    } else skip(/[^\t\n\f\r >]/)
  }
  return { names, end: html.length }
}
