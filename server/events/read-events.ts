import type { Clock } from '../platform/clock.ts'
import { fieldError } from '../platform/errors.ts'
import type { EventType, PartnerEvent } from './event.ts'
import type { EventLog } from './ports.ts'
import type { EventWaits } from './waiting.ts'

/** Reads of one request that find nothing of the types that are asked for. Each takes about a millisecond. */
const MOST_READS = 5

export interface EventRequest {
  /** Undefined: from the oldest event that is kept. */
  after: number | undefined
  types?: readonly EventType[] | undefined
  limit: number
  /** How long to wait for an event when there is none. */
  waitMs: number
}

/**
 * Reads a partner's events. `next` is the last seq that was looked at, from which the partner goes on, also when there is
 * no event. `holds` is called when the request begins to wait, and gives the signal that its client has gone.
 */
export function readEvents(deps: { events: EventLog; waits: Pick<EventWaits, 'wait'>; clock: Clock }) {
  const { events, waits, clock } = deps

  return async function readEvents(
    clientId: string,
    { after, types, limit, waitMs }: EventRequest,
    holds: (ms: number) => AbortSignal,
  ): Promise<{ events: PartnerEvent[]; next: number }> {
    const until = clock.elapsed() + waitMs
    let from = after ?? 0
    for (let reads = 1; ; reads += 1) {
      const page = await events.page(clientId, { after: from, types, limit })
      if (after !== undefined && after < page.deletedUpTo) throw await eventsGone(clientId)
      const next = Math.max(page.next, page.deletedUpTo)
      if (page.events.length > 0) return { events: page.events, next }
      const isEnd = page.next === from
      from = next
      if (!isEnd && reads % MOST_READS !== 0) continue
      if (!isEnd) return { events: [], next }
      const leftMs = until - clock.elapsed()
      if (leftMs <= 0) return { events: [], next }
      if (!(await waits.wait(clientId, from, leftMs, holds(leftMs)))) return { events: [], next }
    }
  }

  async function eventsGone(clientId: string) {
    const [oldest] = (await events.page(clientId, { after: 0, limit: 1 })).events
    const kept = oldest ? `the oldest event that is kept has the seq ${oldest.seq}` : 'no event is kept'
    return fieldError(
      'EVENTS_GONE',
      'after',
      `events behind it were deleted, and ${kept}: leave after out to go on with what is kept`,
    )
  }
}
