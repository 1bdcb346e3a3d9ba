import type { Clock } from '../platform/clock.ts'
import { fieldError } from '../platform/errors.ts'
import type { KeyedLock } from '../platform/keyed-lock.ts'
import type { Logger } from '../platform/log.ts'
import { sha256 } from '../security/digest.ts'
import { isSame } from '../security/vault.ts'
import type { IdempotencyRecords, Outcome } from './ports.ts'

/** How long a key belongs to its request: payment interfaces usually allow a day of retries. */
const KEY_KEPT_MS = 24 * 60 * 60_000

/** How an act ended. Only a final outcome is stored and repeated. */
export interface Ended {
  outcome: Outcome
  /** False for a temporary failure: the same request may succeed later. */
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
 * Runs a partner's request under a key once. The same request under the same key gets the same outcome again, for a day
 * and across restarts. Another request under that key is refused with IDEMPOTENCY_KEY_REUSED.
 *
 * Requests under one key run one after another. Those that waited for the same request share its outcome, even a
 * temporary failure: fifty parallel retries for a device that does not respond wait 5 seconds once, not fifty times.
 * `locks` are over all hubs: a request that another hub works on waits for its outcome, and after a temporary failure
 * is carried out by the hub that has waited.
 *
 * Why the outcome has its own commit after the act's: the act's transaction belongs to its noun, and the response is
 * built only after it. If the hub crashes between the two commits, the act is done and the key is unknown. The retry
 * then runs as a new request and meets the act's effects: a dynamic QR answers the same record, a used code is refused
 * as used. Payments do not depend on this: a payment and its first answer are one commit.
 * Held by test/server/http/guards/idempotency.test.ts and test/server/idempotency/once.test.ts.
 */
export function once(deps: {
  idempotency: IdempotencyRecords
  locks: KeyedLock
  clock: Clock
  log: Logger
}): Once {
  const { idempotency, locks, clock, log } = deps
  const underWay = new Map<string, { request: Buffer; result: ReturnType<Once> }>()

  async function replayOrAct(key: Buffer, request: Buffer, act: () => Promise<Ended>): ReturnType<Once> {
    const kept = await idempotency.find(key, clock.now())
    if (kept && !isSame(kept.request, request))
      throw fieldError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key', 'was used with another request before')
    if (kept) return { outcome: kept.outcome, replayed: true }
    const { outcome, final } = await act()
    if (final) await keep(key, request, outcome)
    return { outcome, replayed: false }
  }

  /** A failed write is only logged: the act is done, and the caller needs its response. */
  async function keep(key: Buffer, request: Buffer, outcome: Outcome) {
    const at = clock.now()
    try {
      await idempotency.keep(key, { request, outcome }, at, at + KEY_KEPT_MS)
    } catch (error) {
      log.error({ err: error }, 'the response to a request with an idempotency key could not be stored')
    }
  }

  return async function once(clientId, key, request, act) {
    // A client id contains no control character, so the zero byte separates the two unambiguously.
    const row = sha256(`${clientId}\0${key}`)
    const name = row.toString('hex')
    for (let other = underWay.get(name); other; other = underWay.get(name)) {
      if (isSame(other.request, request)) return { ...(await other.result), replayed: true }
      await other.result.catch(() => undefined)
    }
    const result = locks.run(`idempotency:${name}`, () => replayOrAct(row, request, act))
    underWay.set(name, { request, result })
    try {
      return await result
    } finally {
      underWay.delete(name)
    }
  }
}
