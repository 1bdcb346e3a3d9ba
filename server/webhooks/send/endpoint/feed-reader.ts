import type { PartnerEvent } from '../../../events/event.ts'
import type { Feed } from '../../ports.ts'
import type { Delivery } from '../../webhook.ts'

/** A delivery that may be sent now. */
export interface Item {
  event: PartnerEvent
  /** Before the attempt. */
  delivery: Delivery
  /** Where it comes from. Undefined: it is tried again. */
  feed: FeedReader | undefined
}

/** A feed as this process has read it. */
export interface FeedReader {
  readonly number: number
  readonly upTo: number | undefined
  /** The last seq that was read. */
  readTo: number
  /** The `after` that is stored. */
  storedAfter: number
  /** Read, and not sent. By rising seq, all above those that are under way. */
  queue: PartnerEvent[]
  /** Seqs that are under way. */
  readonly underWay: Set<number>
  /** Of a range: seqs that were sent, and that the stored position has not passed. */
  sent: number[]
}

export function openFeed({ number, after, upTo }: Feed): FeedReader {
  return { number, upTo, readTo: after, storedAfter: after, queue: [], underWay: new Set(), sent: [] }
}

/** Empties the read-ahead queue. Its events are read again later. */
export function dropQueue(feed: FeedReader) {
  const [event] = feed.queue
  if (event) feed.readTo = event.seq - 1
  feed.queue = []
}

/** Takes the next event: its first attempt. */
export function takeFirst(feed: FeedReader, webhookId: string): Item | undefined {
  const event = feed.queue.shift()
  if (!event) return undefined
  const { seq, id: eventId, type } = event
  const fresh = { state: 'pending', step: 0, nextAt: undefined, attempts: [] } as const
  return { event, delivery: { webhookId, seq, eventId, type, ...fresh }, feed }
}

/** Every event up to here has a delivery that is stored or waits for it, or is not for the webhook. */
export function afterOf({ queue: [event], underWay, readTo }: FeedReader): number {
  const open = Math.min(event?.seq ?? Number.POSITIVE_INFINITY, ...underWay)
  return Math.min(readTo, open - 1)
}

/** The position `after` is stored. */
export function noteStored(feed: FeedReader, after: number) {
  feed.storedAfter = after
  feed.sent = feed.sent.filter((seq) => seq > after)
}
