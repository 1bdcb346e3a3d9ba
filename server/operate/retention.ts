import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Pruned, Retention } from '../storage/ports.ts'

const DAY_MS = 24 * 60 * 60_000
/** Pause between two pages of 25 rows: eight million rows a day, and most of the disk stays free for payments. */
const PAGE_EVERY_MS = 250
/** Pause between two passes. */
const PASS_EVERY_MS = 60_000
/** Nothing reads an ended code; it is kept for a day so that a reported problem can be investigated. */
const KEEP_CODES_MS = DAY_MS

type Prune = (after: string) => Promise<Pruned>

/**
 * Deletes expired rows, a page at a time, while the hub runs; the returned function stops it. Payments are kept for
 * ever unless a number of days is set: a deleted payment that is reported again is recorded again.
 */
export function startRetention(deps: {
  retention: Retention
  keepPaymentsDays: number | undefined
  clock: Clock
  log: Logger
}): () => void {
  const { retention, keepPaymentsDays, clock, log } = deps
  const kinds: Record<string, Prune> = {
    codes: (after) => retention.pruneCodes(clock.now() - KEEP_CODES_MS, after),
    idempotencyKeys: () => retention.pruneIdempotencyKeys(clock.now()),
    ...(keepPaymentsDays !== undefined && {
      payments: (after: string) => retention.prunePayments(clock.now() - keepPaymentsDays * DAY_MS, after),
    }),
  }
  /** The kinds that this pass has not finished, and where their next page begins. */
  let pending = begin()
  let deleted: Record<string, number> = {}
  let cancel: () => void = () => undefined

  function begin() {
    return Object.keys(kinds).map((kind) => ({ kind, after: '' }))
  }

  /** Deletes one page of each kind; true when there are more. */
  async function page(): Promise<boolean> {
    const more: typeof pending = []
    for (const { kind, after } of pending) {
      const pruned = await kinds[kind]?.(after)
      if (!pruned) continue
      if (pruned.deleted > 0) deleted[kind] = (deleted[kind] ?? 0) + pruned.deleted
      if (pruned.next !== undefined) more.push({ kind, after: pruned.next })
    }
    pending = more
    return more.length > 0
  }

  async function step() {
    let more = false
    try {
      more = await page()
    } catch (error) {
      log.error({ err: error }, 'deleting expired rows failed')
      pending = []
    }
    if (more) return next(PAGE_EVERY_MS)
    if (Object.keys(deleted).length > 0) log.info({ deleted }, 'deleted expired rows')
    deleted = {}
    pending = begin()
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
