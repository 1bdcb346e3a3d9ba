import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Pruned, Retention } from '../storage/ports.ts'

const DAY_MS = 24 * 60 * 60_000
/** Between two pages: with 25 rows each, eight million a day, and the disk is left to the payments. */
const PAGE_EVERY_MS = 250
/** Between two passes, once nothing is left. */
const PASS_EVERY_MS = 60_000
/** An ended code answers like none at all; a day of them is enough to look into what somebody reports. */
const KEEP_CODES_MS = DAY_MS

type Prune = (after: string) => Promise<Pruned>

/**
 * Deletes what need not be kept, a page at a time, for as long as the hub runs. Payments are kept for ever unless a
 * number of days is set: one that is deleted would be recorded again when it is reported again. The returned
 * function ends it.
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
  /** What this pass has still to go through, and from where. */
  let pending = begin()
  let deleted: Record<string, number> = {}
  let cancel: () => void = () => undefined

  function begin() {
    return Object.keys(kinds).map((kind) => ({ kind, after: '' }))
  }

  /** One page of each kind; true when there is more. */
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
      log.error({ err: error }, 'deleting what need not be kept failed')
      pending = []
    }
    if (more) return next(PAGE_EVERY_MS)
    if (Object.keys(deleted).length > 0) log.info({ deleted }, 'deleted what need not be kept')
    deleted = {}
    pending = begin()
    next(PASS_EVERY_MS)
  }

  function next(delayMs: number) {
    if (ended) return
    cancel = clock.after(delayMs, () => void step())
  }

  let ended = false
  next(PAGE_EVERY_MS)
  return () => {
    ended = true
    cancel()
  }
}
