import { sql } from 'drizzle-orm'
import { announcements } from './schema.ts'

/*
 * Conditions of the partial indices on announcements. Written as literals, because SQLite uses a partial index
 * only for a query that repeats its condition, and a bound parameter does not.
 */

/** Still on its way. */
export const isOpen = sql`${announcements.stage} in ('queued', 'sent', 'received')`

/** Never spoken, and not yet shown as missed. */
export const isUnseen = sql`${announcements.stage} in ('expired', 'failed') and ${announcements.missedShownAt} is null`
