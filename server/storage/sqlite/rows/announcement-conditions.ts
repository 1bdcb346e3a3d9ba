import { type Placeholder, sql } from 'drizzle-orm'
import { announcements } from '../schema/schema.ts'

/*
 * The conditions of the partial indices on announcements. SQLite uses a partial index only for a query that repeats
 * the text of its condition; a bound parameter does not match.
 *
 * Why the times of the final stages, and not the stage: SQLite rewrites an index entry when a column of its condition
 * changes. An announcement that is sent and received keeps its entries.
 */

/** Not at a final stage. */
export const OPEN = 'played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL'
export const isOpen = sql.raw(OPEN)

/** Never played, and not yet shown as missed. */
export const UNSEEN = '(expired_at IS NOT NULL OR failed_at IS NOT NULL) AND missed_shown_at IS NULL'
export const isUnseen = sql.raw(UNSEEN)

/** For the device of this id, found by its row id, with which the indices begin. */
export function isFor(deviceId: string | Placeholder) {
  return sql`${announcements.deviceRowId} = (select d.number from devices d where d.id = ${deviceId})`
}
