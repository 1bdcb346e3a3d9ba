import { and, between, gt, not, or, type SQL, sql } from 'drizzle-orm'
import type { Outbox } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { isOpen } from '../rows/announcement-conditions.ts'
import { announcements } from '../schema/schema.ts'

/** Lets announcements from before the clock was set back expire earlier: see the port. */
export function createClockSetBack(
  { orm, writing }: OpenDatabase,
  { expiriesOfQueued }: Pick<StorageRules, 'expiriesOfQueued'>,
): Outbox['clockSetBack'] {
  return writing((at, step) => {
    const { expiresAt } = announcements
    const { from, to } = expiriesOfQueued(step?.since ?? at, at)
    const isFromBefore = step ? not(between(expiresAt, from, to)) : isAnyAhead(to)
    orm
      .update(announcements)
      .set({ expiresAt: step ? sql`max(${at}, ${expiresAt} - ${step.byMs})` : at })
      .where(and(isOpen, gt(expiresAt, at), isFromBefore))
      .run()
  })
}

/**
 * Whether an open announcement or the newest one was queued or sent in the future. `latest` is the end of one that is
 * queued now. The end has moved with each earlier step that the hub has handled, so these steps do not count again.
 */
function isAnyAhead(latest: number): SQL | undefined {
  const isAhead = (one: SQL) => sql`exists (
    select 1 from announcements where ${one} and expires_at + coalesce(sent_at - queued_at, 0) > ${latest}
  )`
  return or(isAhead(isOpen), isAhead(sql`number = (select max(number) from announcements)`))
}
