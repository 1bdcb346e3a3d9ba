import type { HeardEvent, Pattern } from '../file/pattern.ts'

/** A field whose value is not the expected one. */
export interface Difference {
  /** `amount`, `display.screen`. */
  field: string
  wanted: unknown
  came: unknown
}

/** Whether an event matches a pattern. */
export function matchesEvent(wanted: Pattern, seen: HeardEvent): boolean {
  return matches(wanted, seen)
}

export function matches(wanted: unknown, seen: unknown): boolean {
  return differences(wanted, seen).length === 0
}

/**
 * Where a value differs: unnamed fields may be anything, lists are compared as a whole, null equals a missing value.
 */
export function differences(wanted: unknown, seen: unknown, field = ''): Difference[] {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    const isSame = Array.isArray(wanted)
      ? JSON.stringify(wanted) === JSON.stringify(seen)
      : (wanted ?? null) === (seen ?? null)
    return isSame ? [] : [{ field, wanted, came: seen }]
  }
  const there: Record<string, unknown> = Object(seen)
  return Object.entries(wanted).flatMap(([name, value]) =>
    differences(value, there[name], field === '' ? name : `${field}.${name}`),
  )
}

/** `amount is "50000", not "60000"; bill is missing, not "B-1"` */
export function describeDifferences(found: readonly Difference[]): string {
  return found.map(({ field, wanted, came }) => `${field} is ${shown(came)}, not ${shown(wanted)}`).join('; ')
}

function shown(value: unknown): string {
  return value === undefined || value === null ? 'missing' : JSON.stringify(value)
}
