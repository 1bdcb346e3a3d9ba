import type { Clock } from '../../platform/clock.ts'
import type { BucketSize, KeptBuckets, TokenBuckets } from '../../platform/token-buckets.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'

/** Shorter: more statements. Longer: the hubs let more through before they know of each other. */
const REPORT_AFTER_MS = 50

/**
 * One bucket for each partner over all hubs. No request waits for the database: a hub takes from `own`, reports what it
 * has taken, and gets the level after all hubs' reports. What the hubs have let through too much meanwhile makes the
 * level negative, so that the average holds.
 *
 * A report that fails is dropped: until PostgreSQL is back, each hub limits by itself.
 */
export function createPostgresBuckets(deps: {
  query: Tx['query']
  own: KeptBuckets
  size: BucketSize
  clock: Pick<Clock, 'after'>
}): TokenBuckets {
  const { query, own, size, clock } = deps
  /** Tokens taken since the last report. */
  const taken = new Map<string, number>()
  let isReporting = false

  async function report() {
    const keys = [...taken.keys()]
    const counts = [...taken.values()]
    taken.clear()
    // All hubs lock the rows in one order. The debt is at most one burst, so that a report that comes late, after the
    // bucket has been full for long, stops nobody for long.
    const levels = await query<{ key: string; tokens: number }>(
      'request_buckets.report',
      `INSERT INTO request_buckets AS kept (client_id, tokens, filled_at)
       SELECT key, $3::float8 - count, clock_ms() FROM unnest($1::text[], $2::integer[]) AS report (key, count)
       ORDER BY key
       ON CONFLICT (client_id) DO UPDATE SET
         tokens = greatest(
           least($3, kept.tokens + greatest(excluded.filled_at - kept.filled_at, 0) * $4::float8 / 1000)
             - ($3 - excluded.tokens),
           -$3
         ),
         filled_at = excluded.filled_at
       RETURNING client_id AS key, tokens`,
      [keys, counts, size.burst, size.perSecond],
    )
    for (const { key, tokens } of levels) own.set(key, tokens - (taken.get(key) ?? 0))
  }

  function reportLater() {
    if (isReporting || taken.size === 0) return
    isReporting = true
    clock.after(REPORT_AFTER_MS, () => {
      report()
        .catch(() => undefined)
        .finally(() => {
          isReporting = false
          reportLater()
        })
    })
  }

  return {
    take(key) {
      const answer = own.take(key)
      if (answer.allowed) {
        taken.set(key, (taken.get(key) ?? 0) + 1)
        reportLater()
      }
      return answer
    },
  }
}
