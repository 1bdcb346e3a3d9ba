import type { z } from 'zod'

/** Longer values are shortened: the line number says where the rest is. */
const LONGEST_VALUE = 40
/** A longer list helps nobody. */
const MOST_OPTIONS = 5

const TYPES: Readonly<Record<string, string>> = {
  ...{ string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object', record: 'an object' },
}

/** The first thing that is wrong with a line, as a sentence: `"kind" is "film"; it must be "seen" or "end"`. */
export function damageText({ issues: [issue] }: z.ZodError, line: unknown): string {
  if (!issue) return 'it is not a line of a transcript'
  const name = issue.path.length === 0 ? 'the line' : `"${issue.path.join('.')}"`
  const given = valueAt(line, issue.path)
  if (given === undefined) return `${name} is missing`
  const options = optionsOf(issue)
  if (options && options.length > MOST_OPTIONS)
    return `${name} is ${shown(given)}, which this program does not know`
  return `${name} is ${shown(given)}; it must be ${options ? oneOf(options) : expected(issue)}`
}

/** The values that are allowed; undefined when they are not a list. */
function optionsOf(issue: z.core.$ZodIssue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values
  return issue.code === 'invalid_union' && 'options' in issue ? issue.options : undefined
}

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'too_small':
      return `${issue.minimum} or more`
    case 'too_big':
      return `${issue.maximum} or less`
    default:
      return 'of another form'
  }
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value))
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `${texts.join(', ')} or ${last}`
}

function valueAt(line: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value === undefined ? value : Reflect.get(Object(value), key)),
    line,
  )
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`
}
