import type { z } from '@hono/zod-openapi'
import { HubError } from '../../platform/errors.ts'

/** Details of one answer: all of a status request with 100 devices. A body may have thousands of wrong items. */
const MOST_DETAILS = 200

/** Parses a body by its schema; throws VALIDATION_FAILED with details. */
export function validated<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}

/**
 * Parses the parameters of a query by their schema. A parameter that the operation does not have is refused, because a
 * filter with a mistake in its name would be ignored; one that comes twice as well.
 */
export function validatedQuery<T extends z.ZodObject>(
  schema: T,
  queries: Record<string, string[]>,
): z.output<T> {
  const details = Object.entries(queries).flatMap(([field, values]) => {
    if (!Object.hasOwn(schema.shape, field)) return [{ field, issue: 'is not a parameter of this operation' }]
    return values.length > 1 ? [{ field, issue: 'must be given once' }] : []
  })
  const single = Object.entries(queries).map(([field, [value]]) => [field, value])
  const parsed = schema.safeParse(Object.fromEntries(single))
  if (parsed.success && details.length === 0) return parsed.data
  const wrong = parsed.success ? [] : validationError(parsed.error).details
  const more = wrong.filter(({ field }) => !details.some((known) => known.field === field))
  throw new HubError('VALIDATION_FAILED', { details: [...details, ...more].slice(0, MOST_DETAILS) })
}

/** Lists every wrong field once, with its first problem, up to 200. */
function validationError(error: z.core.$ZodError): HubError {
  const details = new Map<string, string>()
  for (const issue of error.issues) {
    if (details.size === MOST_DETAILS) break
    const field = issue.path.map(String).join('.') || 'body'
    if (!details.has(field)) details.set(field, deepest(issue))
  }
  return new HubError('VALIDATION_FAILED', {
    details: [...details].map(([field, issue]) => ({ field, issue })),
  })
}

/** The issue of a union's first branch, because that branch describes the field. */
function deepest(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  const first = issue.errors.at(0)?.at(0)
  return first ? deepest(first) : issue.message
}
