import { reason } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { HAS_STANDBYS, IDENTITY, WAITS } from '../../storage/postgres/engine/server-identity.ts'
import type { Link } from './link.ts'

interface Primary {
  identity: string | null
  /** Whether commits of the hub wait for a second server, if there is one. */
  waits: boolean
  isSynchronous: boolean
}

/** Says in the log which server the hub works on, and stores whether commits are on a second one. */
export function watchPrimary(log: Logger) {
  /** Undefined when the server does not say who it is. */
  let primary: Primary | undefined

  function sayFailover() {
    if (primary?.isSynchronous)
      log.warn('another PostgreSQL server has taken over: it has all that was answered')
    else
      log.warn(
        'another PostgreSQL server has taken over, and may lack the last payments: all speakers are disconnected, and say at their birth what they have played',
      )
  }

  function sayReplication({ isSynchronous }: Primary) {
    if (isSynchronous) log.info('payments are answered when two PostgreSQL servers have them')
    else
      log.info(
        'payments are answered when one PostgreSQL server has them: a failover may lose the last ones, and disconnects all speakers',
      )
  }

  return {
    /** A connection is open, with the settings of every other one. */
    async opened(query: Link['query']) {
      const [found] = await query<Primary>(
        `SELECT ${IDENTITY} AS identity, ${WAITS} AS waits, ${HAS_STANDBYS} AND ${WAITS} AS "isSynchronous"`,
      ).catch((error: unknown) => {
        log.warn(
          { reason: reason(error) },
          'PostgreSQL does not say which server it is: a failover is not noticed',
        )
        return []
      })
      if (primary && found && found.identity !== primary.identity) sayFailover()
      if (found && !primary) sayReplication(found)
      primary = found
    },

    /**
     * Stores on the primary whether its commits are synchronous. Why stored: after a failover, the setting of the former
     * primary counts. The setting may change while the server runs.
     */
    async noteReplication(query: Link['query']) {
      if (!primary) return
      const { identity, waits } = primary
      const [stored] = await query<{ isSynchronous: boolean }>(
        `UPDATE server SET synchronous = NOT synchronous
         WHERE identity = $1 AND synchronous <> (${HAS_STANDBYS} AND $2)
         RETURNING synchronous AS "isSynchronous"`,
        [identity, waits],
      )
      if (!stored) return
      primary.isSynchronous = stored.isSynchronous
      sayReplication(primary)
    },
  }
}
