import { FAMILY_KEPT_MS } from '../partners/rotation.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Pruned, Retention } from '../storage/ports.ts'
import type { ClockWatch } from './clock-watch.ts'

const DAY_MS = 24 * 60 * 60_000
/** Pause between two pages of 25 rows: eight million rows a day, and most of the disk stays free for payments. */
const PAGE_EVERY_MS = 250
/** Pause between two passes. */
const PASS_EVERY_MS = 60_000
/** Nothing reads an ended code; it is kept for a day so that a reported problem can be investigated. */
const KEEP_CODES_MS = DAY_MS
/** More than a year, so that a processor that repeats its reports for a year counts none twice. */
const KNOW_DELETED_MS = 400 * DAY_MS
/** More than a year, so that last year's changes can still be explained. */
const KEEP_AUDIT_MS = 400 * DAY_MS

/** Rows of one kind that are deleted page by page, and where the next page begins. */
interface Task {
  kind: string
  prune: (now: number, after: string) => Promise<Pruned>
  after?: string
  /** The kind whose old rows must be gone before. */
  behind?: string
}

interface Keep {
  keepPaymentsDays: number | undefined
  keepEventsDays: number
}

/** The shortest time for which payments or events are kept, milliseconds. */
export function shortestKeepMs({ keepPaymentsDays, keepEventsDays }: Keep): number {
  return Math.min(keepEventsDays, keepPaymentsDays ?? keepEventsDays) * DAY_MS
}

function tasksOf(retention: Retention, keep: Keep): Task[] {
  const keepEventsMs = shortestKeepMs(keep)
  const tasks: Task[] = [
    { kind: 'events', prune: (now, after) => retention.pruneEvents(now - keepEventsMs, after) },
    { kind: 'codes', prune: (now, after) => retention.pruneCodes(now - KEEP_CODES_MS, after) },
    { kind: 'tokens', prune: (now) => retention.pruneTokens(now - FAMILY_KEPT_MS) },
    { kind: 'idempotencyKeys', prune: (now) => retention.pruneIdempotencyKeys(now) },
    { kind: 'audit', prune: (now, after) => retention.pruneAudit(now - KEEP_AUDIT_MS, after) },
  ]
  if (keep.keepPaymentsDays === undefined) return tasks
  const keepMs = keep.keepPaymentsDays * DAY_MS
  const prune: Task['prune'] = (now, after) => retention.prunePayments(now - keepMs, after, now)
  const forget: Task['prune'] = (now, after) => retention.forgetDeleted(now - keepMs - KNOW_DELETED_MS, after)
  return [...tasks, { kind: 'payments', prune, behind: 'events' }, { kind: 'deletedPayments', prune: forget }]
}

/**
 * Deletes expired rows, a page at a time, while the hub runs; the returned function stops it. Payments are kept for
 * ever unless a number of days is set; a repeat of a deleted payment is known for 400 days more. Events are kept no
 * longer than payments, whose rows have their data, and go before them.
 * Nothing is deleted while the clock is in doubt.
 */
export function startRetention(
  deps: Keep & {
    retention: Retention
    /** Whether this hub deletes for all hubs now. */
    leads: () => Promise<boolean>
    clockWatch: Pick<ClockWatch, 'look'>
    clock: Clock
    log: Logger
  },
): () => void {
  const { leads, clockWatch, clock, log } = deps
  const all = tasksOf(deps.retention, deps)
  /** The tasks that this pass has not finished. */
  let pending = all
  let deleted: Record<string, number> = {}
  let cancel: () => void = () => undefined

  /** Deletes one page of each kind. */
  async function step() {
    try {
      // Every hub watches its clock: the one that leads later must have seen an earlier jump.
      const now = await clockWatch.look()
      if (now === undefined || !(await leads())) {
        pending = all
        return next(PASS_EVERY_MS)
      }
      const more: Task[] = []
      for (const task of pending) {
        if (more.some(({ kind }) => kind === task.behind)) {
          more.push(task)
          continue
        }
        const pruned = await task.prune(now, task.after ?? '')
        if (pruned.deleted > 0) deleted[task.kind] = (deleted[task.kind] ?? 0) + pruned.deleted
        if (pruned.next !== undefined) more.push({ ...task, after: pruned.next })
      }
      pending = more
    } catch (error) {
      log.error({ err: error }, 'deleting expired rows failed')
      pending = []
    }
    if (pending.length > 0) return next(PAGE_EVERY_MS)
    if (Object.keys(deleted).length > 0) log.info({ deleted }, 'deleted expired rows')
    deleted = {}
    pending = all
    next(PASS_EVERY_MS)
  }

  function next(delayMs: number) {
    if (stopped) return
    cancel = clock.after(delayMs, () => void step())
  }

  let stopped = false
  next(PAGE_EVERY_MS)
  return () => {
    stopped = true
    cancel()
  }
}
