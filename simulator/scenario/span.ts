import { z } from 'zod'

const FACTOR = { ms: 1, s: 1_000, m: 60_000 } as const

/** A length of time in a scenario: `250ms`, `1.5s`, `2m`. Milliseconds, once read. */
export const span = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m)$/, 'a length of time is written 250ms, 1.5s or 2m')
  .transform((text) => {
    const unit = text.endsWith('ms') ? 'ms' : text.endsWith('s') ? 's' : 'm'
    return Number.parseFloat(text) * FACTOR[unit]
  })
