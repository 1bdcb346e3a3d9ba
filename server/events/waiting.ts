import type { Clock } from '../platform/clock.ts'
import { exceptUnavailable } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
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
export function createEventWaits({
  events,
  clock,
  log,
}: {
  events: Pick<EventLog, 'heads'>
  clock: Clock
  log: Logger
}) {
  const waiters = new Set<Waiter>()
  let isStopped = false
  let isLooking = false
  let isFailing = false

  function lookLater() {
    if (isLooking || waiters.size === 0) return
    isLooking = true
    clock.after(LOOK_EVERY_MS, () => {
      look()
        .catch((error: unknown) => {
          if (!isFailing) log.error({ err: error }, 'requests that wait for events are not told of new ones')
          isFailing = true
        })
        .finally(() => {
          isLooking = false
          lookLater()
        })
    })
  }

  async function look() {
    const partners = [...new Set([...waiters].map(({ clientId }) => clientId))]
    if (partners.length === 0) return
    // While the storage can't be read, they wait on.
    const heads = await events.heads(partners).catch(exceptUnavailable)
    isFailing = false
    for (const waiter of waiters) if ((heads?.get(waiter.clientId) ?? 0) > waiter.after) waiter.end(true)
  }

  function isFull(clientId: string): boolean {
    if (waiters.size >= MOST_WAITING.all) return true
    let own = 0
    for (const waiter of waiters) if (waiter.clientId === clientId) own += 1
    return own >= MOST_WAITING.ofPartner
  }

  return {
    /**
     * Waits until the partner has an event above `after`. False when there is none within `waitMs`, when the client has gone,
     * when the hub stops, and at once when too many wait.
     */
    wait(clientId: string, after: number, waitMs: number, gone: AbortSignal): Promise<boolean> {
      if (isStopped || gone.aborted || isFull(clientId)) return Promise.resolve(false)
      return new Promise((resolve) => {
        const giveUp = () => waiter.end(false)
        const cancel = clock.after(waitMs, giveUp)
        gone.addEventListener('abort', giveUp)
        const waiter: Waiter = {
          ...{ clientId, after },
          end(isThere) {
            waiters.delete(waiter)
            cancel()
            gone.removeEventListener('abort', giveUp)
            resolve(isThere)
          },
        }
        waiters.add(waiter)
        lookLater()
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
