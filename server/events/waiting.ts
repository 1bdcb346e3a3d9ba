import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { createLooks } from '../platform/time/looks.ts'
import type { EventLog } from './ports.ts'

/** Between two looks for new events, one for all that wait. */
const LOOK_EVERY_MS = 200
/** Requests that may wait: in all, and of one partner. Each occupies a connection. */
export const MOST_WAITING = { all: 1_000, ofPartner: 20 }

export type EventWaits = ReturnType<typeof createEventWaits>

interface Waiter {
  clientId: string
  after: number
  end(isThere: boolean): void
}

/** Lets requests wait for new events. */
export function createEventWaits(deps: { events: Pick<EventLog, 'heads'>; clock: Clock; log: Logger }) {
  const waiters = new Set<Waiter>()
  let isStopped = false
  const looks = createLooks(deps, {
    look,
    failure: 'requests that wait for events are not told of new ones',
    retryMs: LOOK_EVERY_MS,
  })

  /** While the storage can't be read, they wait on. */
  async function look(): Promise<number> {
    const heads = await deps.events.heads([...new Set([...waiters].map(({ clientId }) => clientId))])
    for (const waiter of waiters) if ((heads.get(waiter.clientId) ?? 0) > waiter.after) waiter.end(true)
    return LOOK_EVERY_MS
  }

  function isFull(clientId: string): boolean {
    if (waiters.size >= MOST_WAITING.all) return true
    let own = 0
    for (const waiter of waiters) if (waiter.clientId === clientId) own += 1
    return own >= MOST_WAITING.ofPartner
  }

  return {
    /**
     * Waits until the partner has an event above `after`. False when none comes within `waitMs`, when the client has gone,
     * when the hub stops, and at once when too many wait.
     */
    wait(clientId: string, after: number, waitMs: number, gone: AbortSignal): Promise<boolean> {
      if (isStopped || gone.aborted || isFull(clientId)) return Promise.resolve(false)
      return new Promise((resolve) => {
        const giveUp = () => waiter.end(false)
        const cancel = deps.clock.after(waitMs, giveUp)
        gone.addEventListener('abort', giveUp)
        const waiter: Waiter = {
          ...{ clientId, after },
          end(isThere) {
            waiters.delete(waiter)
            if (waiters.size === 0) void looks.stop()
            cancel()
            gone.removeEventListener('abort', giveUp)
            resolve(isThere)
          },
        }
        waiters.add(waiter)
        if (!looks.isRunning()) looks.start(LOOK_EVERY_MS)
      })
    },
    /** Requests that wait now. */
    count: () => waiters.size,
    /** Ends all waits. Nobody waits from now on. */
    stop() {
      isStopped = true
      for (const waiter of waiters) waiter.end(false)
    },
  }
}
