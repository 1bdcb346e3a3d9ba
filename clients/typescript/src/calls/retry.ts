import type { OPERATIONS } from '../generated/operations.ts'
import { HubError, isTemporary, NoAnswerError, type OperationName } from './errors.ts'

/** What follows an error. */
export type Verdict =
  /** The same request gets the same error. */
  | { do: 'give up' }
  /** The token is dead: get another one, and send the request again. */
  | { do: 'renew' }
  /** Send the same request again: after a time that the hub has named, or after a growing pause. */
  | { do: 'wait'; ms: number | undefined }

const GIVE_UP: Verdict = { do: 'give up' }

/** A callback is its own key: the same payment is stored once. Each login stands for itself. */
const REPEATABLE: readonly OperationName[] = ['reportPayment', 'getAccessToken', 'refreshAccessToken']

/** Whether an operation may be sent again although it may have been carried out. */
export function isRepeatable(name: OperationName, { method, takesKey }: (typeof OPERATIONS)[OperationName]) {
  return method !== 'POST' || takesKey || REPEATABLE.includes(name)
}

/** The table "After a callback", for every operation. */
export function judge(error: unknown, repeatable: boolean): Verdict {
  if (error instanceof NoAnswerError) return repeatable ? { do: 'wait', ms: undefined } : GIVE_UP
  if (!(error instanceof HubError)) return GIVE_UP
  if (error.code === 40101 || error.code === 40102) return { do: 'renew' }
  if (!isTemporary(error)) return GIVE_UP
  return repeatable || isUndone(error) ? { do: 'wait', ms: error.retryAfterMs } : GIVE_UP
}

/** Whether an error says that nothing was done. */
export const isUndone = (error: unknown): boolean =>
  error instanceof HubError && (error.status < 500 || error.status === 503)

const FIRST_PAUSE_MS = 200
/** A hub that is back after an outage is found within this time. */
const LONGEST_PAUSE_MS = 15_000

/**
 * How long to wait before the next attempt, in milliseconds. A growing pause is cut by up to a half, and a time that the hub
 * has named grows by up to a tenth. So clients that fail together do not come back together.
 */
export function pauseMs(attempts: number, askedMs: number | undefined, random: () => number): number {
  if (askedMs !== undefined) return askedMs * (1 + random() / 10)
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS)
  return longest * (1 - random() / 2)
}
