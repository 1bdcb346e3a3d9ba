import { z } from 'zod'

/** How long this device may take for what; a profile changes it. */
export const timings = z.strictObject({
  /** From a command to its ack, from a SUBACK to the birth: milliseconds. */
  answerMs: z.int().min(50).default(3_000),
  /** For how long the kit watches that something does not happen. */
  quietMs: z.int().min(20).default(300),
  /** The longest sentence, and what waits before it. */
  speechMs: z.int().min(500).default(30_000),
  /** From a lost link to the next session; 1.6 lets the first attempt wait for 1 s. */
  reconnectMs: z.int().min(1_000).default(15_000),
  /** The same after several failures: 1.6 lets an attempt wait for 60 s. */
  backoffMs: z.int().min(1_000).default(75_000),
  /** From power on to the session. */
  bootMs: z.int().min(1_000).default(90_000),
})
export type Timings = z.infer<typeof timings>

const NAMES = ['answer', 'quiet', 'speech', 'reconnect', 'backoff', 'boot'] as const

/** A length of time in a case: the name of a timing, or `4s`, `250ms`, or `1.5 keepalives`. */
export const span = z.union([
  z.enum(NAMES),
  z.string().regex(/^\d+(\.\d+)?(ms|s| keepalives)$/, 'a span is answer, 4s, 250ms or 1.5 keepalives'),
])
export type Span = z.infer<typeof span>

/** Milliseconds of a span; `keepaliveS` is the device's own. */
export function spanMs(given: Span, of: Timings, keepaliveS: number): number {
  const name = NAMES.find((one) => one === given)
  if (name) return of[`${name}Ms`]
  const amount = Number.parseFloat(given)
  if (given.endsWith(' keepalives')) return amount * keepaliveS * 1_000
  return given.endsWith('ms') ? amount : amount * 1_000
}
