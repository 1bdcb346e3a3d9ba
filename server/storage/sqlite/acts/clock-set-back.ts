import { and, between, gt, not, sql } from 'drizzle-orm'
import type { Outbox } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { isOpen } from '../rows/announcement-conditions.ts'
import { announcements } from '../schema/schema.ts'

/** Lets announcements from before the clock was set back expire earlier: see the port. */
export function createClockSetBack(
  { orm, commits }: Pick<OpenDatabase, 'orm' | 'commits'>,
  { expiriesOfQueued }: Pick<StorageRules, 'expiriesOfQueued'>,
): Outbox['clockSetBack'] {
  return function clockSetBack(byMs, at, since) {
    return commits.write(() => {
      const { from, to } = expiriesOfQueued(since, at)
      const isFresh = gt(announcements.expiresAt, at)
      const isFromBefore = not(between(announcements.expiresAt, from, to))
      const earlier = sql`max(${at}, ${announcements.expiresAt} - ${byMs})`
      orm
        .update(announcements)
        .set({ expiresAt: earlier })
        .where(and(isOpen, isFresh, isFromBefore))
        .run()
    })
  }
}
