import type { Template } from '../profile/schema.ts'

/** The values of placeholders. Undefined ones are not known for this message. */
export type Values = Readonly<Record<string, string | number | undefined>>

/** A placeholder that could not be filled. */
export interface Unfilled {
  placeholder: string
  why: 'absent' | 'too_long'
}

const PLACEHOLDER = /\{([A-Za-z]+)(\??)\}/g
const WHOLE = /^\{([A-Za-z]+)(\??)\}$/
/** A field that is left out. */
const LEFT_OUT = Symbol('left out')

/**
 * Fills a template. `{name}` must have a value within its limit of bytes. A text that is nothing but `{name?}` leaves its
 * field out where it has none. A number stays a number where the text is nothing but its placeholder.
 */
export function fill(
  template: { [name: string]: Template },
  values: Values,
  limits: Readonly<Record<string, number>>,
): { json: unknown } | { unfilled: Unfilled } {
  let unfilled: Unfilled | undefined
  const lookUp = (name: string, isOptional: boolean): string | number | undefined => {
    const value = values[name]
    const limit = limits[name] ?? Number.POSITIVE_INFINITY
    if (value !== undefined && Buffer.byteLength(String(value)) <= limit) return value
    if (!isOptional) unfilled ??= { placeholder: name, why: value === undefined ? 'absent' : 'too_long' }
    return undefined
  }
  const filled = (part: Template): unknown => {
    if (typeof part === 'string') {
      const [, name, mark] = WHOLE.exec(part) ?? []
      if (name !== undefined) return lookUp(name, mark === '?') ?? LEFT_OUT
      return part.replace(PLACEHOLDER, (_, one: string, optional: string) =>
        String(lookUp(one, optional === '?') ?? ''),
      )
    }
    if (Array.isArray(part)) return part.map(filled).filter((item) => item !== LEFT_OUT)
    if (typeof part !== 'object' || part === null) return part
    const fields = Object.entries(part).map(([key, value]) => [key, filled(value)] as const)
    return Object.fromEntries(fields.filter(([, value]) => value !== LEFT_OUT))
  }
  const json = filled(template)
  return unfilled ? { unfilled } : { json }
}

/** The names of all placeholders of a template. */
export function placeholdersOf(template: Template): string[] {
  if (typeof template === 'string') return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  if (typeof template !== 'object' || template === null) return []
  return Object.values(template).flatMap(placeholdersOf)
}
