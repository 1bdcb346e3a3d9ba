import { z } from 'zod'

/** Time limits for this device. A profile may change them. */
export const timings = z.strictObject({
  /** From a command to its ack, and from the SUBACK to the birth. */
  answerMs: z.int().min(50).default(3_000),
  /** How long the kit watches for a packet that must not come. */
  quietMs: z.int().min(20).default(300),
  /** The longest sentence, including the announcements before it. */
  speechMs: z.int().min(500).default(30_000),
  /** From a lost connection to the next session. 1.6 allows the first attempt to wait 1 s. */
  reconnectMs: z.int().min(1_000).default(15_000),
  /** The same after several failures: 1.6 allows an attempt to wait 60 s. */
  backoffMs: z.int().min(1_000).default(75_000),
  /** From power on to the session. */
  bootMs: z.int().min(1_000).default(90_000),
})
export type Timings = z.infer<typeof timings>

const NAMES = ['answer', 'quiet', 'speech', 'reconnect', 'backoff', 'boot'] as const

const TERM = `(?:${NAMES.join('|')}|\\d+(?:\\.\\d+)?(?:ms|s| keepalives| trips| of [a-z][a-z0-9-]*))`

/**
 * A duration in a case, or a sum of durations with ` + `: the name of a timing, `4s`, `250ms`, `1.5 keepalives`, `2 trips`
 * (the time from a command to its ack, as measured), or `1.5 of NAME`: a measured time, or that of an announcement.
 */
export const duration = z
  .string()
  .regex(
    new RegExp(`^${TERM}(?: \\+ ${TERM})*$`),
    'a duration is answer, 4s, 250ms, 1.5 keepalives, 2 trips, 1.5 of NAME, or a sum: 4s + 2 trips',
  )
export type Duration = z.infer<typeof duration>

/** What a duration may depend on. */
export interface Measures {
  timings: Timings
  /** The device's keepalive. */
  keepaliveS: number
  /** From a command to its ack. */
  tripMs: number
  /** Times that the case has measured. */
  measuredMs(name: string): number
}

/** Converts to milliseconds. */
export function durationToMs(given: Duration, measures: Measures): number {
  return given.split(' + ').reduce((sum, term) => sum + termToMs(term, measures), 0)
}

function termToMs(term: string, { timings, keepaliveS, tripMs, measuredMs }: Measures): number {
  const name = NAMES.find((one) => one === term)
  if (name) return timings[`${name}Ms`]
  const amount = Number.parseFloat(term)
  const [, measured] = term.split(' of ')
  if (measured !== undefined) return amount * measuredMs(measured)
  if (term.endsWith(' trips')) return amount * tripMs
  if (term.endsWith(' keepalives')) return amount * keepaliveS * 1_000
  return term.endsWith('ms') ? amount : amount * 1_000
}
