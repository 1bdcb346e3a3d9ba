import type { ErrorDetail, ErrorName } from '../platform/errors.ts'

/** How a request ended: with a response, or with an error. */
export type Outcome =
  | { kind: 'done'; status: number; body: string }
  | { kind: 'refused'; error: ErrorName; details: ErrorDetail[]; retryAfterS: number | undefined }

/** The stored entry of a key: its first request and how it ended. */
export interface KeptOutcome {
  /** SHA-256 of the request. */
  request: Buffer
  outcome: Outcome
}

/** The stored outcomes of requests with an idempotency key, by a hash of partner and key. */
export interface IdempotencyRecords {
  /** Undefined when nothing is stored under the key, or it has expired at `at`. */
  find(key: Buffer, at: number): Promise<KeptOutcome | undefined>
  /** Stores an outcome until `expiresAt`, unless the key has one, and deletes a few that have expired at `at`. */
  keep(key: Buffer, kept: KeptOutcome, at: number, expiresAt: number): Promise<void>
}
