import type { Outbox } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE, type Page } from '../../shared/pages.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { newestAnnouncement } from './missed.ts'

/** Where a page begins, by rising `expiresAt`. */
interface Cursor {
  limit: number
  expiresAt: number
  rowId: number
}

/** How open announcements are moved: those up to a row id whose end is not kept. */
interface Step {
  upTo: number
  /** The earliest and the latest end of those that stay. */
  kept: [from: number, to: number]
  byMs: number
}

/**
 * Lets announcements from before the clock was set back expire earlier: see the port.
 *
 * Why those that expire first come first: when the hub dies between two pages, the announcements that are furthest in
 * the future are left, by which the next start detects that the clock was set back.
 */
export function createClockSetBack(
  { reading, inPages, among, forChange, open }: Engine,
  { expiriesOfQueued }: Pick<StorageRules, 'expiriesOfQueued'>,
): Outbox['clockSetBack'] {
  /**
   * Whether an open announcement or the newest one was queued or sent in the future. `latest` is the end of one that is
   * queued now. The end has moved with each earlier step that the hub has handled, so these steps do not count again.
   */
  const isAnyAhead = reading(function* (latest: number) {
    const isAhead = (announcements: string) =>
      `SELECT 1 FROM ${announcements} AND a.expires_at + coalesce(a.sent_at - a.queued_at, 0) > $1`
    const ahead = yield* rows(
      'outbox.clockSetBack any',
      `SELECT 1 WHERE EXISTS (${isAhead(`${open.from} WHERE ${OPEN}`)})
         OR EXISTS (${isAhead('announcements a WHERE a.number = (SELECT max(number) FROM announcements)')})`,
      [latest],
    )
    return ahead.length > 0
  })

  const newest = reading(newestAnnouncement)

  function* movePage(at: number, { upTo, kept, byMs }: Step, cursor: Cursor): Act<Page<Cursor, undefined>> {
    const { limit, expiresAt, rowId } = cursor
    const page = yield* rows<{ rowId: number; expiresAt: number }>(
      'outbox.clockSetBack page',
      `SELECT a.number AS "rowId", a.expires_at AS "expiresAt" FROM ${open.from}
       WHERE ${OPEN} AND ${open.by}.expires_at > $1 AND a.number <= $2 AND a.expires_at NOT BETWEEN $3 AND $4
         AND ${open.by}.expires_at >= $5 AND (${open.by}.expires_at > $5 OR ${open.by}.number > $6)
       ORDER BY ${open.by}.expires_at, ${open.by}.number LIMIT $7 ${forChange('a')}`,
      [at, upTo, ...kept, expiresAt, rowId, limit],
    )
    yield* rows(
      'outbox.clockSetBack',
      `UPDATE announcements SET expires_at = CASE WHEN expires_at - $2 > $1 THEN expires_at - $2 ELSE $1 END
       WHERE ${among('number', '$3', 'bigint')}`,
      [at, byMs, page.map((one) => one.rowId)],
    )
    const last = page.at(-1)
    return { value: undefined, next: last && page.length === limit ? { limit: PAGE, ...last } : undefined }
  }

  return async function clockSetBack(at, step) {
    const { from, to } = expiriesOfQueued(step?.since ?? at, at)
    if (!step && !(await isAnyAhead(to))) return
    // Without a step all end now, also those that seem to be queued at this moment.
    const moved: Step = {
      upTo: await newest(),
      kept: step ? [from, to] : [0, 0],
      byMs: step?.byMs ?? Number.MAX_SAFE_INTEGER,
    }
    await inPages({ limit: FIRST_PAGE, expiresAt: 0, rowId: 0 }, (cursor: Cursor) =>
      movePage(at, moved, cursor),
    )
  }
}
