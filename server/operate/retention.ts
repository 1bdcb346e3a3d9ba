import { FAMILY_KEPT_MS } from '../partners/rotation.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { IMPORT_DIES_MS, type StatementRecords } from '../reconciliation/ports.ts'
import type { Pruned, Retention } from '../storage/ports.ts'
import type { ClockWatch } from './clock-watch.ts'

const DAY_MS = 24 * 60 * 60_000
/** Between two pages retention rests four times as long as the last one took: most of the disk stays free for payments. */
const REST = 4
const [LEAST_REST_MS, MOST_REST_MS] = [10, 250]
/** Pause between two passes. A pass that has taken longer is behind: it rests no more. */
const PASS_EVERY_MS = 60_000
/** Rows that have to stay are looked at again after this time. Each pass of the day begins behind them. */
const WALK_EVERY_MS = DAY_MS
/** Nothing reads an ended code; it is kept for a day so that a reported problem can be investigated. */
const KEEP_CODES_MS = DAY_MS
/** More than a year, so that a processor that repeats its reports for a year counts none twice. */
export const KNOW_DELETED_DAYS = 400
const KNOW_DELETED_MS = KNOW_DELETED_DAYS * DAY_MS
/** More than a year, so that last year's changes can still be explained. */
const KEEP_AUDIT_MS = 400 * DAY_MS

/** Rows of one kind that are deleted page by page. */
interface Task {
  kind: string
  prune: (now: number, after: string) => Promise<Pruned>
  /** The kind whose old rows must be gone before. */
  behind?: string
}

/** A walk through the old rows of one kind, over several passes. */
interface Walk {
  task: Task
  since: number
  /** Behind which the next page begins, and the next pass. */
  after: string
  reached: string
  /** Old rows that have to stay. */
  kept: number
}

/** `at` is by the clock that says what is old, `since` by elapsed time. */
interface Pass {
  at: number
  since: number
  deleted: Record<string, number>
}

/** Is told when all rows of a kind that were old at an instant are gone, but for so many that have to stay. */
export type RetentionObserver = (kind: string, caughtUpAt: number, kept: number) => void

interface Keep {
  keepPaymentsDays: number | undefined
  keepEventsDays: number
}

/** The shortest time for which payments or events are kept, milliseconds. */
export function shortestKeepMs({ keepPaymentsDays, keepEventsDays }: Keep): number {
  return Math.min(keepEventsDays, keepPaymentsDays ?? keepEventsDays) * DAY_MS
}

function tasksOf({
  retention,
  imports,
  ...keep
}: Pick<RetentionDeps, 'retention' | 'imports' | keyof Keep>): Task[] {
  const keepEventsMs = shortestKeepMs(keep)
  const tasks: Task[] = [
    { kind: 'events', prune: (now, after) => retention.pruneEvents(now - keepEventsMs, after) },
    { kind: 'codes', prune: (now, after) => retention.pruneCodes(now - KEEP_CODES_MS, after) },
    { kind: 'tokens', prune: (now) => retention.pruneTokens(now - FAMILY_KEPT_MS) },
    { kind: 'idempotencyKeys', prune: (now) => retention.pruneIdempotencyKeys(now) },
    { kind: 'audit', prune: (now, after) => retention.pruneAudit(now - KEEP_AUDIT_MS, after) },
  ]
  if (imports)
    tasks.push({
      kind: 'imports',
      prune: async (now) => ({ deleted: await imports.removeDead(now - IMPORT_DIES_MS), next: undefined }),
    })
  if (keep.keepPaymentsDays === undefined) return tasks
  const keepMs = keep.keepPaymentsDays * DAY_MS
  const prune: Task['prune'] = (now, after) => retention.prunePayments(now - keepMs, after, now)
  const forget: Task['prune'] = (now, after) => retention.forgetDeleted(now - keepMs - KNOW_DELETED_MS, after)
  return [...tasks, { kind: 'payments', prune, behind: 'events' }, { kind: 'deletedPayments', prune: forget }]
}

interface RetentionDeps extends Keep {
  retention: Retention
  /** Imports of statements whose process has died. */
  imports?: Pick<StatementRecords, 'removeDead'>
  /** Whether this hub deletes for all hubs now. */
  leads: () => Promise<boolean>
  clockWatch: Pick<ClockWatch, 'look'>
  observe: RetentionObserver
  clock: Clock
  log: Logger
}

/**
 * Deletes expired rows, a page at a time, while the hub runs; the returned function stops it. Payments are kept for
 * ever unless a number of days is set; a repeat of a deleted payment is known for 400 days more. Events are kept no
 * longer than payments, whose rows have their data, and go before them.
 * Nothing is deleted while the clock is in doubt.
 */
export function startRetention(deps: RetentionDeps): () => void {
  const passes = new Passes(deps)
  passes.next(MOST_REST_MS)
  return () => passes.stop()
}

/** The passes over all kinds of rows, one behind the other. */
class Passes {
  readonly #deps: RetentionDeps
  #walks: Walk[]
  /** Those that this pass has not finished. */
  #pending: Walk[] = []
  /** The one under way. */
  #pass: Pass | undefined
  #cancel: () => void = () => undefined
  #isStopped = false

  constructor(deps: RetentionDeps) {
    this.#deps = deps
    this.#walks = tasksOf(deps).map((task) => this.#begun(task))
  }

  next(delayMs: number) {
    if (!this.#isStopped) this.#cancel = this.#deps.clock.after(delayMs, () => void this.#step())
  }

  stop() {
    this.#isStopped = true
    this.#cancel()
  }

  #begun(task: Task): Walk {
    return { task, since: this.#deps.clock.elapsed(), after: '', reached: '', kept: 0 }
  }

  #begin(at: number): Pass {
    const since = this.#deps.clock.elapsed()
    this.#walks = this.#walks.map((one) => (since - one.since >= WALK_EVERY_MS ? this.#begun(one.task) : one))
    for (const walk of this.#walks) walk.after = walk.reached
    this.#pending = this.#walks
    return { at, since, deleted: {} }
  }

  /** Deletes one page of each kind. */
  async #step() {
    const { clockWatch, leads, clock, log } = this.#deps
    const startedAt = clock.elapsed()
    try {
      // Every hub watches its clock: the one that leads later must have seen an earlier jump.
      const now = await clockWatch.look()
      if (now === undefined || !(await leads())) return this.#end()
      this.#pass ??= this.#begin(now)
      const more: Walk[] = []
      for (const walk of this.#pending) {
        const waits = more.some(({ task }) => task.kind === walk.task.behind)
        if (waits || (await this.#deletePage(walk, now, this.#pass))) more.push(walk)
      }
      this.#pending = more
    } catch (error) {
      log.error({ err: error }, 'deleting expired rows failed')
      return this.#end()
    }
    if (this.#pending.length === 0) return this.#end()
    const endedAt = clock.elapsed()
    const rest = Math.min(Math.max((endedAt - startedAt) * REST, LEAST_REST_MS), MOST_REST_MS)
    this.next(endedAt - this.#pass.since > PASS_EVERY_MS ? 0 : rest)
  }

  /** Returns whether there may be more of the kind. */
  async #deletePage(walk: Walk, now: number, { at, deleted }: Pass) {
    const { kind } = walk.task
    const pruned = await walk.task.prune(now, walk.after)
    if (pruned.deleted > 0) deleted[kind] = (deleted[kind] ?? 0) + pruned.deleted
    walk.kept += pruned.kept ?? 0
    walk.reached = pruned.reached ?? ''
    if (pruned.next === undefined) this.#deps.observe(kind, at, walk.kept)
    else walk.after = pruned.next
    return pruned.next !== undefined
  }

  #end() {
    const deleted = this.#pass?.deleted ?? {}
    if (Object.keys(deleted).length > 0) this.#deps.log.info({ deleted }, 'deleted expired rows')
    this.#pass = undefined
    this.next(PASS_EVERY_MS)
  }
}
