import { z } from 'zod'
import { parseDuration } from '../../platform/duration.ts'

/** A length of time in a scenario: `250ms`, `1.5s`, `2m`. Milliseconds, once read. */
export const duration = z.unknown().transform((given, context) => {
  const ms = typeof given === 'string' ? parseDuration(given) : undefined
  if (ms !== undefined) return ms
  context.addIssue('a length of time is written 250ms, 1.5s or 2m')
  return z.NEVER
})
