import type { Outbox } from '../../../../announcements/ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE } from '../../../shared/pages.ts'
import type { OpenDatabase } from '../../engine/database.ts'

/** Where a page begins, by rising `expiresAt`. `upTo` is the newest announcement at the first page. */
interface Cursor {
  limit: number
  upTo: number
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
  { sqlite, commits }: OpenDatabase,
  { expiriesOfQueued }: Pick<StorageRules, 'expiriesOfQueued'>,
): Outbox['clockSetBack'] {
  const newest = sqlite.prepare<[], number | null>('SELECT max(number) FROM announcements').pluck()
  const isAnyAhead = createIsAnyAhead(sqlite)
  const page = sqlite.prepare<
    [Cursor & { at: number; from: number; to: number }],
    { rowId: number; expiresAt: number }
  >(
    `SELECT number AS rowId, expires_at AS expiresAt FROM announcements
     WHERE ${OPEN} AND expires_at > @at AND number <= @upTo AND expires_at NOT BETWEEN @from AND @to
       AND expires_at >= @expiresAt AND (expires_at > @expiresAt OR number > @rowId)
     ORDER BY expires_at, number LIMIT @limit`,
  )
  const endEarlier = sqlite.prepare<[{ at: number; byMs: number; rowIds: string }]>(
    `UPDATE announcements SET expires_at = max(@at, expires_at - @byMs)
     WHERE number IN (SELECT value FROM json_each(@rowIds))`,
  )

  return async function clockSetBack(at, step) {
    const { from, to } = expiriesOfQueued(step?.since ?? at, at)
    // Without a step all end now, also those that seem to be queued at this moment.
    const kept = step ? { from, to } : { from: 0, to: 0 }
    const byMs = step?.byMs ?? Number.MAX_SAFE_INTEGER

    await commits.writePages<Cursor | undefined, undefined>(undefined, (cursor) => {
      const none = { value: undefined, next: undefined }
      if (!cursor && !step && !isAnyAhead(to)) return none
      const begin = cursor ?? { limit: FIRST_PAGE, upTo: newest.get() ?? 0, expiresAt: 0, rowId: 0 }
      const rows = page.all({ ...begin, at, ...kept })
      const last = rows.at(-1)
      if (!last) return none
      endEarlier.run({ at, byMs, rowIds: JSON.stringify(rows.map(({ rowId }) => rowId)) })
      return {
        value: undefined,
        next: rows.length < begin.limit ? undefined : { ...begin, ...last, limit: PAGE },
      }
    })
  }
}

/**
 * Whether an open announcement or the newest one was queued or sent in the future. `latest` is the end of one that is
 * queued now. The end has moved with each earlier step that the hub has handled, so these steps do not count again.
 */
function createIsAnyAhead(sqlite: OpenDatabase['sqlite']) {
  const isAhead = (one: string) =>
    sqlite.prepare<[latest: number]>(
      `SELECT 1 FROM announcements WHERE ${one} AND expires_at + coalesce(sent_at - queued_at, 0) > ? LIMIT 1`,
    )
  const isOpenAhead = isAhead(OPEN)
  const isNewestAhead = isAhead('number = (SELECT max(number) FROM announcements)')
  return (latest: number) => Boolean(isOpenAhead.get(latest) ?? isNewestAhead.get(latest))
}
