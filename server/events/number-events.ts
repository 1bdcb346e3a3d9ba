import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { ASK_EVERY_MS, createLease } from '../platform/time/lease.ts'
import { createLooks } from '../platform/time/looks.ts'
import type { EventLog } from './ports.ts'

/** Between two looks for events without a seq. */
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
      await deps.events.number()
      return LOOK_EVERY_MS
    },
    failure: 'new events can not be read: the storage does not give them their seqs',
    retryMs: ASK_EVERY_MS,
  })
  looks.start()
  return () => void looks.stop()
}
