import type { CallOptions } from '../calls/options.ts'
import type { EventDto } from '../generated/types.ts'
import { eventsOf } from './lists.ts'
import type { Query, Rows } from './sender.ts'
import { StatementOperations } from './statements.ts'

/** Which events to read. */
export interface EventsOptions extends Pick<CallOptions, 'signal'> {
  /** The `seq` of the last event that you have; from the oldest that is kept without it. */
  after?: string | undefined
  /** All types without it. */
  types?: readonly EventDto['type'][]
  /** Whether to wait for further events; it ends at the newest when false. */
  follow?: boolean
}

/** The longest wait of `readEvents`. */
const EVENT_WAIT_S = 30

/** Events, as a page or without an end. */
export class EventOperations extends StatementOperations {
  /** A page of events, the oldest first. `events` goes on by itself. */
  readEvents(query?: Query<'readEvents'>, options: CallOptions = {}) {
    const waitMs = Number(query?.wait ?? 0) * 1_000
    const attemptLimitMs = options.attemptLimitMs ?? this.attemptLimitMs + waitMs
    return this.send('readEvents', { query }, { ...options, attemptLimitMs })
  }

  /**
   * Your events, each exactly once, from `after` on. It goes on over restarts of the hub and of its network, until the loop
   * ends or the signal aborts. Store `seq` together with what you make of the event, and give it as `after` at the next
   * start. It throws 41000 when the events behind `after` were deleted. Later hubs may have more types.
   */
  events({ after, types, follow = true, signal }: EventsOptions = {}): Rows<'readEvents'> {
    const fixed = {
      limit: '100',
      wait: follow ? String(EVENT_WAIT_S) : '0',
      ...(types && { types: types.join() }),
    }
    const options = { timeLimitMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) }
    const read = (last: string | undefined) =>
      this.readEvents(last === undefined ? fixed : { ...fixed, after: last }, options)
    return eventsOf(read, { after, follow, clock: this.clock, signal })
  }
}
