import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'
import type { Link } from './link.ts'

/** Below the smallest step that hubs react to, less what a slow answer takes. */
const STEP_MS = 3_000
/** Every hub samples PostgreSQL's clock within this time, and stores no time from before the step afterwards. */
const SETTLED_MS = 2_500
/** A hub stored the old time until its next beat, and this hub may not have looked either. */
const UNSURE_MS = 2_000
const LOOK_EVERY_MS = 500
/** How long a lock is held at most, and a margin. */
const LOCKED_MS = 20_000

/** What follows when PostgreSQL's clock is set back, once over all hubs. */
export function createSetBack({ machine }: { machine: Pick<Clock, 'after'> }) {
  /** How many steps the hubs had dealt with at this hub's last beat. */
  let known = 0

  async function isSetBack(query: Tx['query']): Promise<boolean> {
    const found = await query('setBack.look', 'SELECT FROM server WHERE set_back')
    return found.length > 0
  }

  /** Times that lie in the future now would keep what they end for as long as the step. */
  async function mendTimes(query: Tx['query']) {
    await query('setBack.hubs', `UPDATE hubs SET beat_at = 0 WHERE beat_at > clock_ms() + ${STEP_MS}`)
    await query(
      'setBack.locks',
      `UPDATE hub_locks SET until = clock_ms() + ${LOCKED_MS} WHERE until > clock_ms() + ${LOCKED_MS}`,
    )
    await query('setBack.logins', `DELETE FROM login_failures WHERE last_at > clock_ms() + ${STEP_MS}`)
  }

  return {
    /**
     * `at` is PostgreSQL's time in the answer to a beat. Stores that it was set back, unless a hub has handled that step.
     * `expectedAt` is read before the beat, because a process that is stopped meanwhile reads an old answer.
     */
    async note(
      query: Link['query'],
      { at, setBacks, expectedAt }: { at: number; setBacks: number; expectedAt: number },
    ) {
      if (setBacks === known && expectedAt - at > STEP_MS)
        await query('UPDATE server SET set_back = true WHERE set_backs = $1 AND NOT set_back', [known])
      known = setBacks
    },

    async once(
      query: Tx['query'],
      leads: () => Promise<boolean>,
      act: (unsureMs: number) => Promise<void>,
    ): Promise<void> {
      const pause = (ms: number) => new Promise<void>((resolve) => machine.after(ms, resolve))
      if (!(await isSetBack(query))) return
      await pause(SETTLED_MS)
      while (await isSetBack(query)) {
        if (!(await leads())) {
          await pause(LOOK_EVERY_MS)
          continue
        }
        // Another hub may have dealt with it between the look above and the lease.
        if (await isSetBack(query)) {
          await act(UNSURE_MS)
          await mendTimes(query)
          await query('setBack.done', 'UPDATE server SET set_back = false, set_backs = set_backs + 1')
        }
        // The next step may be another hub's to deal with.
        await query('setBack.lease', "DELETE FROM leases WHERE task = 'clock'")
        return
      }
    },
  }
}
