import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { ASK_EVERY_MS, createLease } from '../platform/time/lease.ts'
import { createLooks } from '../platform/time/looks.ts'
import type { EventLog } from './ports.ts'

/**
 * Events that get their seqs in one step, which is a commit: 10 ms of PostgreSQL on two cores, measured. In larger steps an
 * event costs as much, and waits longer for the commit.
 */
const STEP = 1_000
/** The pause after a step that was not full: the queue is empty. */
const LOOK_EVERY_MS = 100

/**
 * Gives the events of all hubs their seqs; the returned function stops it. One hub does so at a time, only to save work:
 * the order is right with any number of them.
 */
export function startNumbering(deps: {
  events: Pick<EventLog, 'number'>
  /** Whether this hub does it now. */
  leads: () => Promise<boolean>
  clock: Clock
  log: Logger
}): () => void {
  const lease = createLease(deps.leads, deps.clock)
  const looks = createLooks(deps, {
    async look() {
      if (!(await lease.renew())) return ASK_EVERY_MS
      const numbered = await deps.events.number(STEP)
      return numbered < STEP ? LOOK_EVERY_MS : 0
    },
    failure: 'new events can not be read: the storage does not give them their seqs',
    retryMs: ASK_EVERY_MS,
  })
  looks.start()
  return () => void looks.stop()
}
