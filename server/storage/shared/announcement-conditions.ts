/*
 * The conditions of the partial indices on announcements. SQLite uses a partial index only for a query that repeats
 * the text of its condition; a bound parameter does not match. PostgreSQL needs a condition that implies it, and finds what
 * is open by the table open_announcements instead.
 *
 * Why the times of the final stages, and not the stage: an index entry is rewritten when a column of the condition
 * changes. An announcement that is sent and received keeps its entries.
 */

/** Not at a final stage. */
export const OPEN = 'played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL'

/** Never played, and not yet shown as missed. */
export const UNSEEN = '(expired_at IS NOT NULL OR failed_at IS NOT NULL) AND missed_shown_at IS NULL'
