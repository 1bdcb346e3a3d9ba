import { type Html, html } from './html.ts'

export type CodeLanguage = 'sh' | 'mjs' | 'mts' | 'py' | 'php' | 'java' | 'go' | 'json'

const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
const C_COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`
/** Each named group is a kind of token. Alternatives are tried in order at each position. */
const tokens = (...groups: string[]) => new RegExp(groups.join('|'), 'g')

/** The tokens of a programming language. */
const program = (comment: string, string: string, keywords: string) =>
  tokens(
    `(?<comment>${comment})`,
    `(?<string>${string})`,
    String.raw`(?<keyword>\b(?:${keywords.replaceAll(' ', '|')})\b)`,
    String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?\b)`,
  )

const SCRIPT_STRING = String.raw`${STRING}|${'`'}(?:\\.|[^${'`'}\\])*${'`'}`
const SCRIPT_WORDS =
  'import from export const let function return if else for of await async new try catch throw null true false'

const TOKENS: Record<CodeLanguage, RegExp> = {
  sh: tokens(
    String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
    String.raw`(?<string>'[^']*'|"(?:\\.|[^"\\])*"|(?<=<<'?JSON'?\n)[\s\S]*?(?=\nJSON\b))`,
    String.raw`(?<keyword>(?<=^|\n|\$\(|\| ?|&& )\s*(?:curl|npm|node|printf|openssl|sed|cut|od|tr|cat|head|ln|mkdir|mktemp|read|trap|date|set|shift|export|echo|exit)\b)`,
    String.raw`(?<option>(?<=\s)--?[a-zA-Z][\w-]*)`,
  ),
  mjs: program(C_COMMENT, SCRIPT_STRING, SCRIPT_WORDS),
  mts: program(C_COMMENT, SCRIPT_STRING, `${SCRIPT_WORDS} type instanceof`),
  py: program(
    String.raw`#[^\n]*`,
    String.raw`"""[\s\S]*?"""|${STRING}`,
    'import from def return if else elif for in with as try except raise and or not is None True False lambda class del pass',
  ),
  php: program(
    C_COMMENT,
    STRING,
    'php declare const function return if else foreach as echo exit true false null int bool string array use throw new',
  ),
  java: program(
    C_COMMENT,
    String.raw`"""[\s\S]*?"""|${STRING}`,
    'import class static final public private synchronized void return if else for try catch new throws throw null true false var int boolean byte',
  ),
  go: program(
    C_COMMENT,
    `${STRING}|\`[^\`]*\``,
    'package import func return if else for range var const type map string byte bool error defer nil true false make',
  ),
  json: tokens(
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
  for (const match of code.matchAll(TOKENS[language])) {
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
