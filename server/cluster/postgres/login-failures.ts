import { FAILURES, type Guess, type LoginThrottle, WINDOW_MS } from '../../partners/login-throttle.ts'
import { sha256 } from '../../security/digest.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'

/** More than the one row that a failure adds, and few enough to be quick. */
const DELETED_AT_ONCE = 20

/**
 * Counts the failures of real clients over all hubs. Those of strangers stay with `own`: there is no secret to guess,
 * and invented ids must not fill the table.
 */
export function createPostgresLoginThrottle(query: Tx['query'], own: LoginThrottle): LoginThrottle {
  return {
    async failed(guess) {
      if (!guess.isClient) return own.failed(guess)
      await query(
        'login_failures.deleteOld',
        `DELETE FROM login_failures WHERE id = ANY (ARRAY(
           SELECT id FROM login_failures WHERE last_at <= clock_ms() - $1::bigint
           ORDER BY last_at LIMIT $2 FOR UPDATE SKIP LOCKED
         ))`,
        [WINDOW_MS, DELETED_AT_ONCE],
      )
      // One statement looks and counts: parallel guesses at two hubs must not all pass. `times` begins with the newest.
      const [row] = await query<{ waitMs: number }>(
        'login_failures.count',
        `INSERT INTO login_failures AS kept (id, times, last_at, wait_ms)
         SELECT $1, ARRAY[now], now, 0 FROM clock_ms() AS now
         ON CONFLICT (id) DO UPDATE SET (times, last_at, wait_ms) = (
           SELECT CASE WHEN wait_ms > 0 THEN kept.times ELSE excluded.times || kept.times[:$2 - 1] END,
             CASE WHEN wait_ms > 0 THEN kept.last_at ELSE excluded.last_at END,
             wait_ms
           FROM (SELECT greatest(coalesce(kept.times[$2] + $3::bigint - excluded.last_at, 0), 0) AS wait_ms) AS judged
         )
         RETURNING wait_ms AS "waitMs"`,
        [idOf(guess), FAILURES, WINDOW_MS],
      )
      return Math.ceil((row?.waitMs ?? 0) / 1000)
    },
  }
}

/** The database holds no addresses of those who guess. No network has a space in it. */
function idOf({ network, clientId }: Guess): string {
  return sha256(`${network} ${clientId}`).toString('hex')
}
