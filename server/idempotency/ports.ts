import type { ErrorDetail, ErrorName } from '../platform/errors.ts'

/** How a request ended: with an answer, or with a refusal by name. */
export type Outcome =
  | { kind: 'done'; status: number; body: string }
  | { kind: 'refused'; error: ErrorName; details: ErrorDetail[]; retryAfterS: number | undefined }

/** What a key stands for: the request that came with it first, and how that ended. */
export interface KeptOutcome {
  /** SHA-256 of the request. */
  request: Buffer
  outcome: Outcome
}

/** The outcomes of requests that came with an idempotency key, each found by a hash of its partner and key. */
export interface IdempotencyRecords {
  /** What is kept under the key; undefined when nothing is, or its time was over at `at`. */
  find(key: Buffer, at: number): Promise<KeptOutcome | undefined>
  /**
   * Keeps an outcome until `expiresAt`, and forgets a few whose time was over at `at`. What is kept under the key
   * already stays as it is.
   */
  keep(key: Buffer, kept: KeptOutcome, at: number, expiresAt: number): Promise<void>
}
