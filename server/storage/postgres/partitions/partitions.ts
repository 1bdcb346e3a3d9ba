import { DatabaseError } from 'pg'
import { HubError } from '../../../platform/errors.ts'
import { rows } from '../../acts/act.ts'
import type { Pruned } from '../../ports.ts'

/** So many partitions for the time for which rows are kept. A statement that goes through all costs by their number. */
const PARTS = 8
const LEAST_SPAN_MS = 60 * 60_000

/** Both go by their own numbers, and are cut together. */
export const TABLES = ['payments', 'announcements'] as const

/** An old partition. */
export interface Partition {
  number: number
  /** Its rows are from here on, and below the next. */
  least: number
  below: number
  copiedTo: number
}

export const NOTHING: Pruned = { deleted: 0, next: undefined }

/** How long a partition lasts, of rows that are kept so long. */
export const spanOf = (keepMs: number) => Math.max(Math.round(keepMs / PARTS), LEAST_SPAN_MS)

/** A statement that is sent once: it has no name to be found by. */
export const ddl = (text: string) => rows('', text)

/** One transaction at a time changes partitions. Who waited looks again. */
export const lockPartitions = () =>
  rows('partitions.lock', 'LOCK TABLE partitions IN SHARE ROW EXCLUSIVE MODE')

/** Acts wait behind a change of a table, as long as that one waits for acts under way. */
export const WAIT = "SET LOCAL lock_timeout = '250ms'"

/** Whether the change did not get its lock in that time. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof HubError && error.cause instanceof DatabaseError && error.cause.code === '55P03'
}
