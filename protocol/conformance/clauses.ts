import { readFileSync } from 'node:fs'

/** The numbered clauses of the specification, by number: what a failure quotes. */
export type Clauses = ReadonlyMap<string, string>

const SPECIFICATION = new URL('../README.md', import.meta.url)

export function readClauses(): Clauses {
  return parseClauses(readFileSync(SPECIFICATION, 'utf8'))
}

/**
 * Reads `7.5 An announcement MUST …` off a Markdown text: a clause starts with its number at the start of a line
 * and ends before the next clause, a blank line, a heading, a table or a fence.
 */
export function parseClauses(markdown: string): Clauses {
  const clauses = new Map<string, string>()
  let number: string | undefined
  for (const line of markdown.split('\n')) {
    const [, opening, text = ''] = /^(\d+\.\d+) (.*)$/.exec(line) ?? []
    if (opening !== undefined) {
      number = opening
      clauses.set(number, withoutLinks(text))
    } else if (line === '' || /^(#|\||```)/.test(line)) {
      number = undefined
    } else if (number !== undefined) {
      clauses.set(number, `${clauses.get(number)} ${withoutLinks(line)}`)
    }
  }
  return clauses
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim()
}
