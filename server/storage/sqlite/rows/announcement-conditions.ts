import { type Placeholder, sql } from 'drizzle-orm'
import { announcements } from '../schema/schema.ts'

/*
 * Conditions of the partial indices on announcements. Written as literals, because SQLite uses a partial index
 * only for a query that repeats its condition, and a bound parameter does not.
 *
 * Told by the times of the final stages rather than by the stage itself: an index whose condition names a column is
 * written anew whenever that changes, and an announcement that is sent and received stays where it is in both.
 */

/** Still on its way. */
export const isOpen = sql`${announcements.playedAt} is null and ${announcements.failedAt} is null and ${announcements.expiredAt} is null and ${announcements.suppressedAt} is null`

/** Never spoken, and not yet shown as missed. */
export const isUnseen = sql`(${announcements.expiredAt} is not null or ${announcements.failedAt} is not null) and ${announcements.missedShownAt} is null`

/** For the device that has this id; by its number, which the indices begin with. */
export function isFor(deviceId: string | Placeholder) {
  return sql`${announcements.deviceNumber} = (select d.number from devices d where d.id = ${deviceId})`
}
