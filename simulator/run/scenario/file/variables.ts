import { among, type Issue } from './issues.ts'

/** Variables: `${amount}`, or `${txn.ftCode}`, a field of the result that a step has named `as: txn`. */

const REFERENCE = /\$\{([^}]*)\}/g
const WHOLE = /^\$\{([^}]*)\}$/

/** Returns the value of a variable by its path; undefined: leave it as it is written. */
export type Lookup = (path: readonly string[]) => unknown

/**
 * Replaces variables in all texts. A text that is nothing but one variable becomes its value, whatever its type is; in
 * a longer text the value is inserted.
 */
export function fill(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return fillText(value, lookup)
  if (Array.isArray(value)) return value.map((one) => fill(one, lookup))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, lookup)]))
}

/** The value at a path of names; undefined when there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, name) => (Object.hasOwn(Object(part), name) ? Reflect.get(Object(part), name) : undefined),
    value,
  )
}

/** The variables in a value, each with its place. */
export function referencesIn(
  value: unknown,
  path: PropertyKey[] = [],
): { name: string; path: PropertyKey[] }[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([, name = '']) => ({ name: name.trim(), path }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => referencesIn(one, [...path, name]))
}

/** Whether the value at a path has variables. */
export function isOpenAt(value: unknown, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && referencesIn(valueAt(value, path)).length > 0
}

/** The fields of a variable's value, by its name; undefined for a single value. */
export type Known = ReadonlyMap<string, readonly string[] | undefined>

/** What is known of variables by their values. */
export function knownOf(variables: ReadonlyMap<string, unknown>): Known {
  return new Map(
    [...variables].map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? Object.keys(value) : undefined,
    ]),
  )
}

/**
 * The references to what there is not. `known` will have their values when the step is played; `filled` have them
 * already, so that no reference to them may be left.
 */
export function referenceIssues(
  value: unknown,
  known: Known,
  filled: ReadonlyMap<string, unknown> = new Map(),
): Issue[] {
  const all: Known = new Map([...known, ...knownOf(filled)])
  return referencesIn(value).flatMap(({ name, path }) => {
    const [head = '', field] = name.split('.')
    const message = all.has(head)
      ? (fieldIssue(head, field, all.get(head)) ?? (filled.has(head) ? `"${name}" has no value` : undefined))
      : unknownVariable(head, all)
    return message === undefined ? [] : [{ path, message }]
  })
}

function unknownVariable(name: string, known: Known): string {
  return `there is no variable "${name}" before this step${among(name, [...known.keys()], 'the variables')}`
}

function fieldIssue(
  name: string,
  field: string | undefined,
  fields: readonly string[] | undefined,
): string | undefined {
  if (fields === undefined)
    return field === undefined ? undefined : `"${name}" has a single value: write \${${name}}`
  if (field !== undefined && fields.includes(field)) return undefined
  if (field === undefined)
    return `"${name}" has several values: ${fields.map((one) => `\${${name}.${one}}`).join(', ')}`
  return `"${name}" has no "${field}"${among(field, fields, 'its fields')}`
}

function fillText(text: string, lookup: Lookup): unknown {
  const whole = WHOLE.exec(text)?.[1]
  if (whole !== undefined) {
    const value = lookup(whole.trim().split('.'))
    return value === undefined ? text : value
  }
  return text.replace(REFERENCE, (written, name: string) => {
    const value = lookup(name.trim().split('.'))
    if (value === undefined) return written
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}
