import { z } from 'zod'
import { guess } from '../../../../protocol/text/nearest.ts'

/** Errors in a scenario, in words for its author. */

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'one or more fields with values',
  record: 'one or more fields with values',
}

/** The text of an issue, where the schema has none. */
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined || issue.input === null) return 'this is missing'
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return amongValues(issue.input, issue.values.map(String))
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'unrecognized_keys': {
      const fields = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
      // `issuesOf` makes an issue of each line.
      return issue.keys.map((key) => `unknown field${among(key, fields, 'the fields')}`).join('\n')
    }
    default:
      return undefined
  }
}

/** `; did you mean "announce"?`, or `; the events are …` when no known word is like the given one. */
export function among(word: string, known: readonly string[], what: string): string {
  const meant = guess(word, known)
  if (meant !== undefined) return `; did you mean "${meant}"?`
  return known.length === 0 ? '' : `; ${what} are ${known.join(', ')}`
}

/** `there is no "a"; did you mean "b"?`, or all values. */
export function amongValues(given: unknown, values: readonly string[]): string {
  const meant = typeof given === 'string' ? guess(given, values) : undefined
  return meant === undefined
    ? `must be one of: ${values.join(', ')}`
    : `there is no "${String(given)}"; did you mean "${meant}"?`
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}

/** An issue with its path; an unknown field has a path, too. */
export interface Issue {
  path: PropertyKey[]
  message: string
}

export function issuesOf({ issues }: Pick<z.ZodError, 'issues'>): Issue[] {
  return issues.flatMap((issue) => {
    const { path, message } = issue
    if (issue.code !== 'unrecognized_keys') return [{ path, message }]
    const messages = message.split('\n')
    return issue.keys.map((key, index) => ({ path: [...path, key], message: messages[index] ?? message }))
  })
}

/** ` (round 2 of 3)`; nothing for an empty text. */
export function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`
}

/** `step 1, expect.amount`, `step 2.3, pay`: steps count from 1, and those of a loop within it. */
export function pathText(path: readonly PropertyKey[]): string {
  const numbers: number[] = []
  let rest = path
  for (;;) {
    const [first, second, ...others] = rest
    if (first !== 'steps' || typeof second !== 'number') break
    numbers.push(second + 1)
    rest = others
  }
  const field = rest.map(String).join('.')
  if (numbers.length === 0) return field
  const step = `step ${numbers.join('.')}`
  return field === '' ? step : `${step}, ${field}`
}
