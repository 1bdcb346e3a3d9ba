import type { z } from '@hono/zod-openapi'
import { HubError } from '../../platform/errors.ts'

/** Parses a body by its schema; throws VALIDATION_FAILED with details. */
export function validated<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}

/** Lists every wrong field once, with its first problem. */
export function validationError(error: z.core.$ZodError): HubError {
  const details = new Map<string, string>()
  for (const issue of error.issues) {
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
