import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { sha256 } from '../security/digest.ts'
import { isSame } from '../security/vault.ts'
import type { IdempotencyRecords, Outcome } from './ports.ts'

/** For how long a key stands for its request: a day of retries, as payment interfaces usually give. */
export const KEY_KEPT_MS = 24 * 60 * 60_000

/** What an act came to, and whether that is its last word: only this is worth repeating. */
export interface Ended {
  outcome: Outcome
  /** False for a failure of the moment, after which the same request may well succeed. */
  final: boolean
}

/** `request` is the SHA-256 of everything that makes two requests the same. */
export type Once = (
  clientId: string,
  key: string,
  request: Buffer,
  act: () => Promise<Ended>,
) => Promise<{ outcome: Outcome; replayed: boolean }>

/**
 * Does what a partner asks for under a key once; the same request under the same key gets the same outcome again,
 * for a day and over restarts. Another request under that key is refused with IDEMPOTENCY_KEY_REUSED.
 *
 * Requests under one key follow each other. Those that waited while the same request was carried out share its
 * outcome, also a failure of the moment: fifty retries at once of a device that keeps silent cost its 5 seconds
 * once, not fifty times.
 *
 * Why the outcome is stored in a commit of its own, right behind the act's: the act's transaction belongs to its
 * noun, and how its answer is written is known only outside of it. A hub that is killed between the two commits has
 * done the act and forgets its key; the retry is then carried out as a new request, which meets the act's effects
 * (a dynamic QR answers the same record, a used code is refused as used). Money does not depend on it: a payment
 * and its first answer are one commit.
 * Held by test/server/idempotency/once.test.ts.
 */
export function once(deps: { idempotency: IdempotencyRecords; clock: Clock; log: Logger }): Once {
  const { idempotency, clock, log } = deps
  const underWay = new Map<string, { request: Buffer; result: ReturnType<Once> }>()

  async function replayOrAct(key: Buffer, request: Buffer, act: () => Promise<Ended>): ReturnType<Once> {
    const kept = await idempotency.find(key, clock.now())
    if (kept && !isSame(kept.request, request)) throw keyReused()
    if (kept) return { outcome: kept.outcome, replayed: true }
    const { outcome, final } = await act()
    if (final) await keep(key, request, outcome)
    return { outcome, replayed: false }
  }

  /** The act is done: its answer is worth more to the caller than the news that it could not be kept. */
  async function keep(key: Buffer, request: Buffer, outcome: Outcome) {
    const at = clock.now()
    try {
      await idempotency.keep(key, { request, outcome }, at, at + KEY_KEPT_MS)
    } catch (error) {
      log.error({ err: error }, 'the answer to a request with an idempotency key could not be kept')
    }
  }

  return async (clientId, key, request, act) => {
    const row = keyHash(clientId, key)
    const name = row.toString('hex')
    for (let other = underWay.get(name); other; other = underWay.get(name)) {
      if (isSame(other.request, request)) return { ...(await other.result), replayed: true }
      await other.result.catch(() => undefined)
    }
    const result = replayOrAct(row, request, act)
    underWay.set(name, { request, result })
    try {
      return await result
    } finally {
      underWay.delete(name)
    }
  }
}

/** A client id holds no control character, so the two can't run into each other. */
function keyHash(clientId: string, key: string): Buffer {
  return sha256(`${clientId}\0${key}`)
}

function keyReused(): HubError {
  return new HubError('IDEMPOTENCY_KEY_REUSED', {
    details: [{ field: 'Idempotency-Key', issue: 'was used before with another request' }],
  })
}
