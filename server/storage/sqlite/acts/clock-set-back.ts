import { and, gt, lt, or, sql } from 'drizzle-orm'
import { ANNOUNCEMENT_FRESH_MS } from '../../../announcements/announcement.ts'
import type { Outbox } from '../../../announcements/ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { isOpen } from '../rows/announcement-conditions.ts'
import { announcements } from '../schema/schema.ts'

/** Ends earlier what was stored before the clock was set back: see the port. */
export function clockSetBack({
  orm,
  commits,
}: Pick<OpenDatabase, 'orm' | 'commits'>): Outbox['clockSetBack'] {
  const isQueued = {
    after: (at: number) => gt(announcements.expiresAt, at + ANNOUNCEMENT_FRESH_MS),
    before: (at: number) => lt(announcements.expiresAt, at + ANNOUNCEMENT_FRESH_MS),
  }
  return (byMs, at, since) =>
    commits.write(() => {
      const isFresh = gt(announcements.expiresAt, at)
      const isFromBefore = and(isOpen, isFresh, or(isQueued.after(at), isQueued.before(since)))
      const earlier = sql`max(${at}, ${announcements.expiresAt} - ${byMs})`
      orm.update(announcements).set({ expiresAt: earlier }).where(isFromBefore).run()
    })
}
