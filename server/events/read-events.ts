import type { Clock } from '../platform/clock.ts'
import { fieldError } from '../platform/errors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import type { EventType, PartnerEvent } from './event.ts'
import type { EventLog, EventQuery } from './ports.ts'
import type { EventWaits } from './waiting.ts'

/** Reads, one after another, that find nothing of the types that are asked for. */
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
 * Reads a partner's events, in slices. `next` is the last seq that was looked at, from which the partner goes on, also
 * when there is no event. `holds` is called when the request begins to wait, and gives the signal that its client has gone.
 */
export function readEvents(deps: {
  events: Pick<EventLog, 'page'>
  slices: Slices
  waits: Pick<EventWaits, 'wait'>
  clock: Clock
}) {
  const { events, slices, waits, clock } = deps
  const read = (clientId: string, query: EventQuery) =>
    slices.run(clientId, () => events.page(clientId, query))

  return async function readEvents(
    clientId: string,
    { after, types, limit, waitMs }: EventRequest,
    holds: (ms: number) => AbortSignal,
  ): Promise<{ events: PartnerEvent[]; next: number }> {
    const until = clock.elapsed() + waitMs
    let from = after ?? 0
    let reads = 0
    for (;;) {
      reads += 1
      const page = await read(clientId, { after: from, types, limit })
      if (after !== undefined && after < page.deletedUpTo) throw await eventsGone(clientId)
      const next = Math.max(page.next, page.deletedUpTo)
      if (page.events.length > 0) return { events: page.events, next }
      const isEnd = page.next === from
      from = next
      if (!isEnd && reads < MOST_READS) continue
      if (!isEnd) return { events: [], next }
      const leftMs = until - clock.elapsed()
      if (leftMs <= 0) return { events: [], next }
      if (!(await waits.wait(clientId, from, leftMs, holds(leftMs)))) return { events: [], next }
      // An event of another type, however often, does not end the wait.
      reads = 0
    }
  }

  async function eventsGone(clientId: string) {
    const [oldest] = (await read(clientId, { after: 0, limit: 1 })).events
    const kept = oldest ? `the oldest event that is kept has the seq ${oldest.seq}` : 'no event is kept'
    return fieldError(
      'EVENTS_GONE',
      'after',
      `events behind it were deleted, and ${kept}: leave after out to go on with what is kept`,
    )
  }
}
