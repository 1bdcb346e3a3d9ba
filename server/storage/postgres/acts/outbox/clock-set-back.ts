import type { Outbox } from '../../../../announcements/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, inPages, PAGE } from '../../../shared/pages.ts'
import type { PostgresDatabase } from '../../engine/database.ts'
import { newestRowId } from './newest-row.ts'

/** Where a page begins, by rising `expiresAt`. */
interface Cursor {
  limit: number
  expiresAt: number
  rowId: number
}

/**
 * Lets announcements from before the clock was set back expire earlier: see the port.
 *
 * Why those that expire first come first: when the hub dies between two pages, the announcements that are furthest in
 * the future are left, by which the next start detects that the clock was set back.
 */
export function createClockSetBack(
  database: PostgresDatabase,
  { expiriesOfQueued }: Pick<StorageRules, 'expiriesOfQueued'>,
): Outbox['clockSetBack'] {
  return async function clockSetBack(at, step) {
    const { from, to } = expiriesOfQueued(step?.since ?? at, at)
    if (!step && !(await isAnyAhead(database, to))) return
    // Without a step all end now, also those that seem to be queued at this moment.
    const kept = step ? [from, to] : [0, 0]
    const byMs = step?.byMs ?? Number.MAX_SAFE_INTEGER
    const upTo = await newestRowId(database.read)
    await inPages<Cursor>(
      { limit: FIRST_PAGE, expiresAt: 0, rowId: 0 },
      async ({ limit, expiresAt, rowId }) => {
        const rows = await database.write((tx) =>
          tx.query<{ rowId: number; expiresAt: number }>(
            'outbox.clockSetBack',
            `WITH page AS MATERIALIZED (
             SELECT number, expires_at FROM announcements
             WHERE ${OPEN} AND expires_at > $1 AND number <= $2 AND expires_at NOT BETWEEN $3 AND $4
               AND expires_at >= $5 AND (expires_at > $5 OR number > $6)
             ORDER BY expires_at, number LIMIT $7
             FOR NO KEY UPDATE
           )
           UPDATE announcements a SET expires_at = greatest($1, a.expires_at - $8)
           FROM page WHERE a.number = page.number
           RETURNING a.number AS "rowId", page.expires_at AS "expiresAt"`,
            [at, upTo, ...kept, expiresAt, rowId, limit, byMs],
          ),
        )
        const last = rows.toSorted((a, b) => a.expiresAt - b.expiresAt || a.rowId - b.rowId).at(-1)
        return last && rows.length === limit ? { limit: PAGE, ...last } : undefined
      },
    )
  }
}

/**
 * Whether an open announcement or the newest one was queued or sent in the future. `latest` is the end of one that is
 * queued now. The end has moved with each earlier step that the hub has handled, so these steps do not count again.
 */
async function isAnyAhead(database: PostgresDatabase, latest: number): Promise<boolean> {
  const isAhead = 'expires_at + coalesce(sent_at - queued_at, 0) > $1'
  const [ahead] = await database.read(
    'outbox.clockSetBack any',
    `(SELECT 1 FROM announcements WHERE ${OPEN} AND ${isAhead} LIMIT 1)
     UNION ALL
     (SELECT 1 FROM announcements WHERE number = (SELECT max(number) FROM announcements) AND ${isAhead})
     LIMIT 1`,
    [latest],
  )
  return ahead !== undefined
}
