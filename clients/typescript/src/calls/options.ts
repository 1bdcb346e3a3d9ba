import type { Clock } from './clock.ts'
import type { OperationName } from './errors.ts'

export interface HubClientOptions {
  /** The address of the hub, with the path before `/api` when a gateway adds one. */
  url: string | URL
  clientId: string
  clientSecret: string
  /** The longest that a call may take, with all attempts and pauses, in milliseconds: 60,000 without it. */
  timeLimitMs?: number
  /** The longest wait for the answer to one attempt, in milliseconds: 20,000 without it. */
  attemptLimitMs?: number
  /** Told about each attempt, for your log and your metrics. What it throws ends the call. */
  onAttempt?: (attempt: Attempt) => void
  /** In place of the platform's. */
  fetch?: typeof fetch
  clock?: Clock
  /** In [0, 1): spreads the pauses. */
  random?: () => number
}

/** How one call goes. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. The hub may have carried it out. */
  signal?: AbortSignal
  /** The longest that the call may take, with all attempts and pauses, in milliseconds. */
  timeLimitMs?: number
  /** The longest wait for the answer to one attempt, in milliseconds. */
  attemptLimitMs?: number
  /** Of the operations that take one. Store it with your request to make the same call again after a crash. */
  idempotencyKey?: string
}

/** An attempt, for your log and your metrics. It contains no secret. */
export interface Attempt {
  operation: OperationName
  /** From 1, in each call. */
  number: number
  /** How long it took, in milliseconds. */
  ms: number
  /** The status of the answer, when there was one. */
  status: number | undefined
  /** The hub's id of the request, as in its log. */
  requestId: string | undefined
  error: unknown
}
