import type { EventType, PartnerEvent } from './event.ts'

/** Which events a page has. */
export interface EventQuery {
  /** Those above this seq. */
  after: number
  /** Of these types. Undefined: of all. */
  types?: readonly EventType[] | undefined
  limit: number
}

export interface EventPage {
  /** By rising seq. */
  events: PartnerEvent[]
  /** The last seq that was looked at, from which the next page goes on. `after` when no event is behind it. */
  next: number
  /** Events up to this seq may have been deleted. 0 when none were. */
  deletedUpTo: number
}

/** An event of which only a test has data. */
export type EventOutline = Omit<PartnerEvent, 'id'>

/**
 * The events of partners. Acts of other ports add them, each in the commit of its fact.
 *
 * An event never becomes visible below a visible seq. So a reader that continues from the last seq misses no event.
 */
export interface EventLog {
  /**
   * Reads a page. It may have fewer events than asked for, even none, and more may follow: one read looks at a bounded
   * number of events. There are no more when `next` is `after`.
   */
  page(clientId: string, query: EventQuery): Promise<EventPage>
  /**
   * The next events above `after`, without the rows that they refer to: for counts. One whose payment has been deleted is
   * among them. There are no more when they are fewer than `limit`.
   */
  outlines(clientId: string, query: Pick<EventQuery, 'after' | 'limit'>): Promise<EventOutline[]>
  /** The events above a seq and below another one, the newest first. */
  outlinesBelow(
    clientId: string,
    query: { above: number; below: number; limit: number },
  ): Promise<EventOutline[]>
  /** The highest seq of each of these partners. Those without an event are left out. */
  heads(clientIds: readonly string[]): Promise<Map<string, number>>
  /** Undefined when the partner has no such event, or none any more. */
  find(clientId: string, id: string): Promise<PartnerEvent | undefined>
  /** Adds a `webhook.test`, and returns its id. */
  addTest(clientId: string, webhookId: string, at: number): Promise<string>
  /**
   * Gives the next events their seqs, at most `most`, and returns how many. Only a storage with several writers has any that
   * wait: there an event becomes visible with its seq. Any hub may call it at any time.
   */
  number(most: number): Promise<number>
}
