import type { PartnerEvent } from '../../events/event.ts'
import type { Feed, Progress, Sending } from '../ports.ts'
import { type Attempt, type Delivery, ONLY_FAILURES_MS } from '../webhook.ts'
import { afterAttempt, delayMs, isDelivered } from './schedule.ts'

/** Deliveries of one webhook that may be under way. */
export const MOST_UNDER_WAY = 4
/** Failures in a row that open the circuit of a webhook. */
const FAILURES_TO_OPEN = 10
/** A probe of an open circuit is at most so far away. */
const LONGEST_PROBE_MS = 5 * 60_000
/** An endpoint that has taken longer than this for its last reply, or does so now, is slow. */
const SLOW_MS = 1_000

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

/** What stays behind until it is stored. */
export type Snapshot = Progress & { count: number }

export type Endpoint = ReturnType<typeof createEndpoint>

export interface EndpointDeps {
  /** A number from 0 to below 1. */
  random: () => number
  /** Whether the clock was set: then no webhook is disabled, because nobody knows for how long it has failed. */
  isClockDoubted: () => boolean
}

/**
 * One webhook as the hub sends to it: what was read ahead, what is under way, what was not stored yet, and its circuit.
 * It reads and sends nothing by itself. Times are those of a clock that nobody can set, unless they are stored.
 *
 * New events go before those that are tried again, which have one place of four to themselves. After ten failures in a row
 * the circuit is open: new events stay in the log, and one delivery at each step of the schedule, but at least every five
 * minutes, finds out whether the endpoint is back. It is one that is due, or else a new event. A success closes it.
 * `Retry-After` holds the delivery that got it, and the next probe.
 */
export function createEndpoint(first: Sending, { random, isClockDoubted }: EndpointDeps) {
  let webhook = first
  let feeds = first.feeds.map(openFeed)
  let retries: Item[] = []
  /** By seq. */
  const underWay = new Map<number, { at: number; isRetry: boolean; isProbe: boolean }>()
  let unstored: Delivery[] = []
  let { failingSince, lastDeliveredAt } = first
  let disabled: Progress['disabled']
  let failures = 0
  // Closed at each start and after each change: nothing waits longer for it than it did before.
  let circuit: { step: number; probeAt: number; storedProbeAt: number } | undefined
  let lastMs = 0
  /** Deliveries that are pending: when the first is due, in milliseconds since the epoch. Infinity: none. */
  let nextDueAt = Number.POSITIVE_INFINITY
  let isOver = false

  function isBusy(seq: number): boolean {
    return underWay.has(seq) || unstored.some((delivery) => delivery.seq === seq)
  }

  /** The feed of the next first attempt. The one without an end is the first: new events go before a replay. */
  function freshFeed(): FeedReader | undefined {
    return feeds.find(({ queue: [event] }) => event !== undefined && !isBusy(event.seq))
  }

  /** Whether one that is tried again has the last free place. */
  function isRetrysTurn(): boolean {
    if (retries.length === 0 || underWay.size < MOST_UNDER_WAY - 1) return false
    return ![...underWay.values()].some(({ isRetry }) => isRetry)
  }

  /** What can be sent now: a feed with a new event, or 'retry'. */
  function choice(elapsed: number): FeedReader | 'retry' | undefined {
    if (isOver || underWay.size >= MOST_UNDER_WAY) return undefined
    const retry = retries.length > 0 ? 'retry' : undefined
    if (circuit) {
      if (underWay.size > 0 || elapsed < circuit.probeAt) return undefined
      return retry ?? freshFeed()
    }
    return isRetrysTurn() ? retry : (freshFeed() ?? retry)
  }

  /** Drops what was read ahead. It is read again later. */
  function forget() {
    retries = []
    for (const feed of feeds) {
      const [event] = feed.queue
      if (event) feed.readTo = event.seq - 1
      feed.queue = []
    }
  }

  function fail({ at, ms }: Attempt, elapsed: number, askedMs: number, isProbe: boolean) {
    failures += 1
    // Else a clock that is days ahead for a minute would end a webhook that has failed for a minute.
    failingSince = isClockDoubted() ? at : Math.min(failingSince ?? at, at)
    if (circuit ? !isProbe : failures < FAILURES_TO_OPEN) return
    if (!circuit) forget()
    const step = (circuit?.step ?? 0) + 1
    const waitMs = Math.min(Math.max(delayMs(step, random), askedMs), LONGEST_PROBE_MS)
    circuit = { step, probeAt: elapsed + waitMs, storedProbeAt: at + ms + waitMs }
  }

  function reset() {
    failures = 0
    failingSince = undefined
    circuit = undefined
  }

  /** Every event of the feed up to here has a delivery that is stored or waits for it, or is not for the webhook. */
  function afterOf({ queue: [event], underWay, readTo }: FeedReader): number {
    const open = Math.min(event?.seq ?? Number.POSITIVE_INFINITY, ...underWay)
    return Math.min(readTo, open - 1)
  }

  return {
    webhook: () => webhook,
    feeds: (): readonly FeedReader[] => feeds,
    isOpen: () => circuit !== undefined,
    underWay: () => underWay.size,
    nextDueAt: () => nextDueAt,
    isOver: () => isOver,
    /** Nothing of it is under way or has to be stored. */
    isIdle: () => underWay.size === 0 && unstored.length === 0,
    canSend: (elapsed: number) => choice(elapsed) !== undefined,

    /** Whether it has failed, or is slow: it must not take the places of others. */
    isSlow(elapsed: number): boolean {
      if (failures > 0 || lastMs > SLOW_MS) return true
      for (const { at } of underWay.values()) if (elapsed - at > SLOW_MS) return true
      return false
    },

    /** What is stored of it now, under the same revision. */
    update(stored: Sending) {
      webhook = stored
      const known = new Map(feeds.map((feed) => [feed.number, feed]))
      feeds = stored.feeds.map((feed) => known.get(feed.number) ?? openFeed(feed))
    },

    /** While its circuit is open, the next delivery may be sent now. */
    probeAt(elapsed: number) {
      if (circuit) circuit.probeAt = elapsed
    },

    /** How long the next page of a feed may be; 0: none is wanted. */
    wants(feed: FeedReader, most: number, elapsed: number): number {
      if (isOver) return 0
      if (!circuit) return feed.queue.length <= most / 4 ? most - feed.queue.length : 0
      const isDue = elapsed >= circuit.probeAt && underWay.size === 0
      return isDue && feed.queue.length === 0 ? 1 : 0
    },

    /** How many deliveries that are due to read; 0: none are wanted. */
    wantsDue(most: number, now: number, elapsed: number): number {
      if (isOver || retries.length > 0 || nextDueAt > now) return 0
      if (!circuit) return most
      return elapsed >= circuit.probeAt && underWay.size === 0 ? 1 : 0
    },

    /** Takes a page that was read from `from` on. It does not count when the feed has gone elsewhere meanwhile. */
    addNew(feed: FeedReader, from: number, events: readonly PartnerEvent[], readTo: number) {
      if (feed.readTo !== from || isOver) return
      feed.queue.push(...events)
      feed.readTo = readTo
    },

    /** Takes deliveries that are due. `isAll`: there are no more. */
    addDue(items: readonly Omit<Item, 'feed'>[], isAll: boolean) {
      if (isAll) nextDueAt = Number.POSITIVE_INFINITY
      retries = items.map((item) => ({ ...item, feed: undefined })).filter(({ event }) => !isBusy(event.seq))
    },

    /** The event of a pending delivery is gone: it can't be sent. */
    giveUp(delivery: Delivery, at: number) {
      const error = 'The event is not kept any more.'
      const attempts = [...delivery.attempts, { at, ms: 0, status: undefined, error, reply: '' }]
      if (!isBusy(delivery.seq)) unstored.push({ ...delivery, state: 'failed', nextAt: undefined, attempts })
    },

    setNextDue(at: number | undefined) {
      nextDueAt = at ?? Number.POSITIVE_INFINITY
    },

    /** Takes what is to be sent next. Undefined: nothing now. */
    take(elapsed: number): Item | undefined {
      const chosen = choice(elapsed)
      if (chosen === undefined) return undefined
      const item = chosen === 'retry' ? retries.shift() : firstOf(chosen, webhook.id)
      if (!item) return undefined
      const { seq } = item.event
      // A replay may have it as well as a retry: one event is under way once.
      retries = retries.filter(({ event }) => event.seq !== seq)
      underWay.set(seq, { at: elapsed, isRetry: item.feed === undefined, isProbe: circuit !== undefined })
      item.feed?.underWay.add(seq)
      return item
    },

    /** An attempt is over. */
    finish(item: Item, attempt: Attempt, askedMs: number | undefined, elapsed: number): Delivery {
      const { seq } = item.event
      const delivery = afterAttempt(item.delivery, attempt, askedMs, random)
      const isProbe = underWay.get(seq)?.isProbe ?? false
      underWay.delete(seq)
      item.feed?.underWay.delete(seq)
      if (item.feed?.upTo !== undefined) item.feed.sent.push(seq)
      unstored.push(delivery)
      lastMs = attempt.ms
      if (isDelivered(attempt)) {
        reset()
        lastDeliveredAt = attempt.at
        return delivery
      }
      fail(attempt, elapsed, askedMs ?? 0, isProbe)
      nextDueAt = Math.min(nextDueAt, delivery.nextAt ?? nextDueAt)
      if (attempt.status === 410) disabled = 'gone'
      else if (failingSince !== undefined && attempt.at - failingSince >= ONLY_FAILURES_MS)
        disabled = 'failing'
      if (disabled !== undefined) isOver = true
      return delivery
    },

    /** What is to be stored. Undefined: nothing. `withFeeds`: also when only feeds have moved. */
    snapshot(withFeeds: boolean): Snapshot | undefined {
      const moved = feeds
        .map((feed) => ({ feed, after: afterOf(feed) }))
        .filter(({ feed, after }) => after > feed.storedAfter)
      if (unstored.length === 0 && (!withFeeds || moved.length === 0)) return undefined
      return {
        ...{ webhookId: webhook.id, revision: webhook.revision },
        ...{ deliveries: [...unstored], count: unstored.length },
        feeds: moved.map(({ feed, after }) => {
          return { number: feed.number, after, sent: feed.sent.filter((seq) => seq <= after).length }
        }),
        ...{ failingSince, lastDeliveredAt, probeAt: circuit?.storedProbeAt, disabled },
      }
    },

    /** The storage has it. */
    stored(snapshot: Snapshot) {
      unstored = unstored.slice(snapshot.count)
      for (const { number, after } of snapshot.feeds)
        for (const feed of feeds)
          if (feed.number === number) {
            feed.storedAfter = after
            feed.sent = feed.sent.filter((seq) => seq > after)
          }
      feeds = feeds.filter(({ upTo, storedAfter }) => upTo === undefined || storedAfter < upTo)
    },

    /** It takes nothing new from now on: it is disabled or deleted, or another hub sends. */
    leave() {
      isOver = true
    },
  }
}

function openFeed({ number, after, upTo }: Feed): FeedReader {
  return { number, upTo, readTo: after, storedAfter: after, queue: [], underWay: new Set(), sent: [] }
}

/** Takes the next event of a feed: its first attempt. */
function firstOf(feed: FeedReader, webhookId: string): Item | undefined {
  const event = feed.queue.shift()
  if (!event) return undefined
  const { seq, id: eventId, type } = event
  const delivery = {
    webhookId,
    seq,
    eventId,
    type,
    state: 'pending',
    step: 0,
    nextAt: undefined,
    attempts: [],
  } as const
  return { event, delivery, feed }
}
