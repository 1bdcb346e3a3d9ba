import { type Clock, every } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { KeyedLock } from '../../platform/keyed-lock.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'
import { unavailable } from '../../storage/shared/storage-errors.ts'

/** A lock is renewed while its act runs. A lock that could not be given back is free after this time. */
const HOLD_MS = 15_000
/** So often within that time. */
const RENEWALS = 3
/** A caller does not wait longer. */
const WAIT_MS = 15_000
const TRY_EVERY_MS = 50

/** Locks as rows. Not advisory locks: those of a frozen hub stay. */
export function createPostgresLocks(deps: {
  /** Outside a transaction. */
  query: Tx['query']
  hub: string
  ids: Pick<Ids, 'uuid'>
  clock: Pick<Clock, 'after' | 'elapsed'>
}): KeyedLock {
  const { query, hub, ids, clock } = deps

  async function tryToTake(key: string, holder: string): Promise<boolean> {
    const taken = await query(
      'locks.take',
      `INSERT INTO hub_locks AS held (key, hub, holder, until) VALUES ($1, $2, $3, clock_ms() + $4::bigint)
       ON CONFLICT (key) DO UPDATE SET hub = excluded.hub, holder = excluded.holder, until = excluded.until
       WHERE held.until <= clock_ms() OR held.hub NOT IN (SELECT id FROM live_hubs)
       RETURNING key`,
      [key, hub, holder, HOLD_MS],
    )
    return taken.length > 0
  }

  /** Returns the function that ends it. */
  function renew(key: string, holder: string): () => void {
    return every(clock, HOLD_MS / RENEWALS, () => {
      query(
        'locks.renew',
        'UPDATE hub_locks SET until = clock_ms() + $3::bigint WHERE key = $1 AND holder = $2',
        [key, holder, HOLD_MS],
      ).catch(() => undefined)
    })
  }

  async function release(key: string, holder: string) {
    try {
      await query('locks.release', 'DELETE FROM hub_locks WHERE key = $1 AND holder = $2', [key, holder])
    } catch {
      // Its time will be over.
    }
  }

  return {
    async run(key, act) {
      const holder = ids.uuid()
      const since = clock.elapsed()
      while (!(await tryToTake(key, holder))) {
        if (clock.elapsed() - since >= WAIT_MS) throw unavailable()
        await new Promise<void>((resolve) => clock.after(TRY_EVERY_MS, resolve))
      }
      const endRenewals = renew(key, holder)
      try {
        return await act()
      } finally {
        endRenewals()
        await release(key, holder)
      }
    },
  }
}
