import { parseJson } from '../../platform/json.ts'

/** The fields of a message; undefined when it is no JSON object. */
export function fieldsOf(payload: string): Record<string, unknown> | undefined {
  const body = parseJson(payload)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  return Object.fromEntries(Object.entries(body))
}

/** A text or a whole number as text, as these firmwares read both. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(Math.trunc(value)) : undefined
}
