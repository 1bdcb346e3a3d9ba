import type { Attempt } from '../../webhook.ts'
import { delayMs } from './schedule.ts'

/** Failures in a row that open the circuit. */
const FAILURES_TO_OPEN = 10
/** A probe is at most so far away. */
const LONGEST_PROBE_MS = 5 * 60_000

/**
 * The circuit of a webhook. While it is open, events stay in the log, and one delivery at each step of the schedule
 * probes whether the endpoint is back.
 */
export type Circuit =
  | { isOpen: false; failures: number }
  /** `probeAt` by the clock's `elapsed`, `storedProbeAt` in milliseconds since the epoch. */
  | { isOpen: true; step: number; probeAt: number; storedProbeAt: number }

/** As after each success, each start and each change: nothing waits longer for it than it did before. */
export const CLOSED: Circuit = { isOpen: false, failures: 0 }

export interface Failure {
  attempt: Pick<Attempt, 'at' | 'ms'>
  /** The Retry-After of the reply; 0: none. */
  askedMs: number
  /** It was sent through an open circuit. Others were under way when it opened, and change nothing. */
  isProbe: boolean
  /** When the attempt ended. */
  elapsed: number
}

export function afterFailure(circuit: Circuit, failure: Failure, random: () => number): Circuit {
  if (circuit.isOpen) return failure.isProbe ? opened(circuit.step + 1, failure, random) : circuit
  const failures = circuit.failures + 1
  return failures < FAILURES_TO_OPEN ? { isOpen: false, failures } : opened(1, failure, random)
}

function opened(step: number, { attempt, askedMs, elapsed }: Failure, random: () => number): Circuit {
  const waitMs = Math.min(Math.max(delayMs(step, random), askedMs), LONGEST_PROBE_MS)
  return {
    isOpen: true,
    step,
    probeAt: elapsed + waitMs,
    storedProbeAt: attempt.at + attempt.ms + waitMs,
  }
}
