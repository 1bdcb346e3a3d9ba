import { readFileSync } from 'node:fs'

/** The clauses of the specification by number. A failure quotes them. */
export type Clauses = ReadonlyMap<string, string>

const SPECIFICATION = new URL('../../README.md', import.meta.url)

export function readClauses(): Clauses {
  return parseClauses(readFileSync(SPECIFICATION, 'utf8'))
}

/**
 * Reads the clauses of a Markdown text: each is a paragraph that starts with its number, `**7.5** An announcement MUST
 * …`.
 */
export function parseClauses(markdown: string): Clauses {
  const paragraphs = markdown.matchAll(/^\*\*(\d+\.\d+)\*\* ((?:.+(?:\n|$))+)/gm)
  return new Map([...paragraphs].map(([, number = '', text = '']) => [number, withoutMarkup(text)]))
}

/** Replaces links by their text, and line breaks by spaces. */
function withoutMarkup(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}
