import { readFileSync } from 'node:fs'

/** The numbered clauses of the specification, by number: what a failure quotes. */
export type Clauses = ReadonlyMap<string, string>

const SPECIFICATION = new URL('../../README.md', import.meta.url)

export function readClauses(): Clauses {
  return parseClauses(readFileSync(SPECIFICATION, 'utf8'))
}

/** Reads `**7.5** An announcement MUST …` off a Markdown text: a clause is a paragraph that its number begins. */
export function parseClauses(markdown: string): Clauses {
  const paragraphs = markdown.matchAll(/^\*\*(\d+\.\d+)\*\* ((?:.+(?:\n|$))+)/gm)
  return new Map([...paragraphs].map(([, number = '', text = '']) => [number, withoutMarkup(text)]))
}

/** Links by their text alone, on one line. */
function withoutMarkup(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}
