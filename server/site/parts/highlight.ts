import { type Html, html } from './html.ts'

export type CodeLanguage = 'sh' | 'mjs' | 'py' | 'php' | 'java' | 'go' | 'json'

/** Each named group is a kind of token. Alternatives are tried in order at each position. */
type Marks = RegExp

const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
const C_COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`
const NUMBER = String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?\b)`

const words = (list: string) => String.raw`(?<keyword>\b(?:${list.replaceAll(' ', '|')})\b)`
const marks = (...groups: string[]): Marks => new RegExp(groups.join('|'), 'g')

const MARKS: Record<CodeLanguage, Marks> = {
  sh: marks(
    String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
    String.raw`(?<string>'[^']*'|"(?:\\.|[^"\\])*"|(?<=<<'?JSON'?\n)[\s\S]*?(?=\nJSON\b))`,
    String.raw`(?<keyword>(?<=^|\n|\$\(|\| ?|&& )\s*(?:curl|npm|printf|openssl|sed|cut|od|date|set|shift|export|echo)\b)`,
    String.raw`(?<option>(?<=\s)--?[a-zA-Z][\w-]*)`,
  ),
  mjs: marks(
    `(?<comment>${C_COMMENT})`,
    String.raw`(?<string>${STRING}|${'`'}(?:\\.|[^${'`'}\\])*${'`'})`,
    words(
      'import from export const let function return if else for of await async new try catch throw null true false',
    ),
    NUMBER,
  ),
  py: marks(
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<string>"""[\s\S]*?"""|${STRING})`,
    words(
      'import from def return if else elif for in with as try except raise and or not is None True False lambda class',
    ),
    NUMBER,
  ),
  php: marks(
    `(?<comment>${C_COMMENT})`,
    `(?<string>${STRING})`,
    words('php declare function return if else echo exit true false null int string array use throw new'),
    NUMBER,
  ),
  java: marks(
    `(?<comment>${C_COMMENT})`,
    String.raw`(?<string>"""[\s\S]*?"""|${STRING})`,
    words(
      'import class static final public private void return if else for new throws throw null true false var int',
    ),
    NUMBER,
  ),
  go: marks(
    `(?<comment>${C_COMMENT})`,
    `(?<string>${STRING}|\`[^\`]*\`)`,
    words(
      'package import func return if else for range var const type map string byte error defer nil true false make',
    ),
    NUMBER,
  ),
  json: marks(
    String.raw`(?<keyword>"(?:\\.|[^"\\])*"(?=\s*:))`,
    `(?<string>${STRING})`,
    String.raw`(?<number>-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b)`,
  ),
}

/** A placeholder for a reader's value; with `path:` the value is encoded for a URL's path. */
const PLACEHOLDER = /\{\{((?:path:)?[A-Z_]+)\}\}/

/** A sample as HTML with coloured tokens; placeholders become elements that show the reader's values. */
export function highlight(language: CodeLanguage, code: string, values: ReadonlyMap<string, string>): Html[] {
  const parts: Html[] = []
  let done = 0
  for (const match of code.matchAll(MARKS[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    parts.push(plain(code.slice(done, match.index), values))
    parts.push(html`<span class="${kind ?? ''}">${plain(match[0], values)}</span>`)
    done = match.index + match[0].length
  }
  parts.push(plain(code.slice(done), values))
  return parts
}

function plain(text: string, values: ReadonlyMap<string, string>): Html {
  // Splitting by a pattern with a group puts the group's matches at odd indexes.
  const parts = text.split(PLACEHOLDER).map((part, i) => {
    if (i % 2 === 0) return part
    const name = part.replace('path:', '')
    const inPath = name === part ? '' : html` data-in-path`
    const value = values.get(name)
    return value === undefined
      ? html`<span class="value unset" data-value="${name}"${inPath}>YOUR_${name}</span>`
      : html`<span class="value" data-value="${name}"${inPath}>${value}</span>`
  })
  return html`${parts}`
}
