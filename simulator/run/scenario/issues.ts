import { z } from 'zod'

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
      return `must be one of: ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'unrecognized_keys':
      return issue.inst instanceof z.ZodObject
        ? `unknown field; the fields are ${Object.keys(issue.inst.shape).join(', ')}`
        : 'unknown field'
    default:
      return undefined
  }
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

export function issuesOf({ issues }: z.ZodError): Issue[] {
  return issues.flatMap((issue) => {
    const { path, message } = issue
    if (issue.code !== 'unrecognized_keys') return [{ path, message }]
    return issue.keys.map((key) => ({ path: [...path, key], message }))
  })
}

/** `step 1, expect.amount`: steps count from 1. */
export function pathText([first, second, ...rest]: readonly PropertyKey[]): string {
  if (first !== 'steps' || typeof second !== 'number')
    return [first, second, ...rest].flatMap((part) => (part === undefined ? [] : [String(part)])).join('.')
  return [`step ${second + 1}`, ...(rest.length > 0 ? [rest.map(String).join('.')] : [])].join(', ')
}
