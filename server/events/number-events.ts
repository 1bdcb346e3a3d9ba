import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { EventLog } from './ports.ts'

/** Between two looks for events without a seq. */
const LOOK_EVERY_MS = 100
/** Between two questions whether this hub gives the seqs. Its lease lasts three times as long. */
const ASK_EVERY_MS = 1_000

/**
 * Gives the events of all hubs their seqs; the returned function stops it. One hub does so at a time. That spares the
 * others the work: the order is right with any number of them.
 */
export function startNumbering(deps: {
  events: Pick<EventLog, 'number'>
  /** Whether this hub does it now. */
  leads: () => Promise<boolean>
  clock: Clock
  log: Logger
}): () => void {
  const { events, leads, clock, log } = deps
  let isStopped = false
  let isLeader = false
  let isFailing = false
  let askAt = 0
  let cancel: () => void = () => undefined

  async function step(): Promise<number> {
    if (clock.elapsed() >= askAt) {
      isLeader = await leads()
      askAt = clock.elapsed() + ASK_EVERY_MS
    }
    if (!isLeader) return ASK_EVERY_MS
    return (await events.number()) > 0 ? 0 : LOOK_EVERY_MS
  }

  async function run() {
    let pauseMs = ASK_EVERY_MS
    try {
      pauseMs = await step()
      isFailing = false
    } catch (error) {
      // The sweep says that the storage is away.
      const isAway = isUnavailable(error)
      if (!isAway && !isFailing)
        log.error({ err: error }, 'new events can not be read: the storage does not give them their seqs')
      isFailing = !isAway
    }
    if (isStopped) return
    cancel = clock.after(Math.max(pauseMs, LOOK_EVERY_MS), () => void run())
  }

  cancel = clock.after(0, () => void run())
  return () => {
    isStopped = true
    cancel()
  }
}
