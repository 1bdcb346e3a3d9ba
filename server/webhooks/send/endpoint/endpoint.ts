import type { PartnerEvent } from '../../../events/event.ts'
import type { Progress, Sending } from '../../ports.ts'
import { type Attempt, type Delivery, ONLY_FAILURES_MS } from '../../webhook.ts'
import { afterFailure, type Circuit, CLOSED } from './circuit.ts'
import { afterReply, fallen, UNDER_WAY } from './concurrency-limit.ts'
import {
  afterOf,
  dropQueue,
  type FeedReader,
  type Item,
  noteStored,
  openFeed,
  takeFirst,
} from './feed-reader.ts'
import { afterAttempt, isDelivered } from './schedule.ts'

/** An endpoint that has taken longer than this for its last reply, or does so now, is slow. */
const SLOW_MS = 1_000

export interface EndpointDeps {
  /** A number from 0 to below 1. */
  random: () => number
  /** Whether the clock was set: then no webhook is disabled, because nobody knows for how long it has failed. */
  isClockDoubted: () => boolean
  /** Whether whatever the hub sends delays its payments: then it sends to each endpoint as to a slow one. */
  isBusy: () => boolean
}

/**
 * The sending state of one webhook: its read-ahead, the requests under way, the results to store, and its circuit.
 * It reads and sends nothing by itself. Times are those of a clock that nobody can set, unless they are stored.
 *
 * New events go before those that are tried again, which have one place of the first four to themselves. After ten failures
 * in a row the circuit is open: new events stay in the log, and one delivery at each step of the schedule, but at least every
 * five minutes, finds out whether the endpoint is back. It is one that is due, or else a new event. A success closes it.
 * `Retry-After` holds the delivery that got it, and the next probe.
 */
export class Endpoint {
  readonly #deps: EndpointDeps
  webhook: Sending
  feeds: FeedReader[]
  /** It takes nothing new from now on: it is disabled or deleted, or another hub sends. */
  isOver = false
  #retries: Item[] = []
  /** By seq. */
  readonly #underWay = new Map<number, { at: number; isRetry: boolean; isProbe: boolean }>()
  #unstored: Delivery[] = []
  #circuit: Circuit = CLOSED
  #limit = fallen()
  #failingSince: number | undefined
  #lastDeliveredAt: number | undefined
  #lastMs = 0
  /** Deliveries that are pending: when the first is due, in milliseconds since the epoch. Infinity: none. */
  #nextDueAt = Number.POSITIVE_INFINITY
  #disabled: Progress['disabled']

  constructor(webhook: Sending, deps: EndpointDeps) {
    this.#deps = deps
    this.webhook = webhook
    this.feeds = webhook.feeds.map(openFeed)
    this.#failingSince = webhook.failingSince
    this.#lastDeliveredAt = webhook.lastDeliveredAt
  }

  get underWay(): number {
    return this.#underWay.size
  }

  isOpen(): boolean {
    return this.#circuit.isOpen
  }

  /** Nothing of it is under way or has to be stored. */
  isIdle(): boolean {
    return this.#underWay.size === 0 && this.#unstored.length === 0
  }

  canSend(elapsed: number): boolean {
    return this.#choice(elapsed) !== undefined
  }

  /** Whether it has failed, or is slow: it must not take the places of others. */
  isSlow(elapsed: number): boolean {
    if (this.#circuit.isOpen || this.#circuit.failures > 0 || this.#lastMs > SLOW_MS) return true
    const [oldest] = this.#underWay.values()
    return oldest !== undefined && elapsed - oldest.at > SLOW_MS
  }

  /** What is stored of it now, under the same revision. */
  update(stored: Sending) {
    this.webhook = stored
    const known = new Map(this.feeds.map((feed) => [feed.number, feed]))
    this.feeds = stored.feeds.map((feed) => known.get(feed.number) ?? openFeed(feed))
  }

  /** While its circuit is open, the next delivery may be sent now. */
  probeAt(elapsed: number) {
    if (this.#circuit.isOpen) this.#circuit = { ...this.#circuit, probeAt: elapsed }
  }

  /** How long the next page of a feed may be; 0: none is wanted. `ahead`: events for each request that may be under way. */
  wants(feed: FeedReader, ahead: number, elapsed: number): number {
    if (this.isOver) return 0
    if (this.#circuit.isOpen) return this.#mayProbe(elapsed) && feed.queue.length === 0 ? 1 : 0
    const most = ahead * this.#most(elapsed)
    return feed.queue.length <= most / 4 ? most - feed.queue.length : 0
  }

  /** How many deliveries that are due to read; 0: none are wanted. */
  wantsDue(most: number, now: number, elapsed: number): number {
    if (this.isOver || this.#retries.length > 0 || this.#nextDueAt > now) return 0
    if (this.#circuit.isOpen) return this.#mayProbe(elapsed) ? 1 : 0
    return most
  }

  /** Takes a page that was read from `from` on. It does not count when the feed has gone elsewhere meanwhile. */
  addNew(feed: FeedReader, from: number, events: readonly PartnerEvent[], readTo: number) {
    if (feed.readTo !== from || this.isOver) return
    feed.queue.push(...events)
    feed.readTo = readTo
  }

  /** Takes deliveries that are due. `isAll`: there are no more. */
  addDue(items: readonly Omit<Item, 'feed'>[], isAll: boolean) {
    if (isAll) this.#nextDueAt = Number.POSITIVE_INFINITY
    this.#retries = items
      .map((item) => ({ ...item, feed: undefined }))
      .filter(({ event }) => !this.#isBusy(event.seq))
  }

  /** The event of a pending delivery is gone: it can't be sent. */
  giveUp(delivery: Delivery, at: number) {
    const error = 'The event is not kept any more.'
    const attempts = [...delivery.attempts, { at, ms: 0, status: undefined, error, reply: '' }]
    if (!this.#isBusy(delivery.seq))
      this.#unstored.push({ ...delivery, state: 'failed', nextAt: undefined, attempts })
  }

  setNextDue(at: number | undefined) {
    this.#nextDueAt = at ?? Number.POSITIVE_INFINITY
  }

  /** Takes what is to be sent next. Undefined: nothing now. */
  take(elapsed: number): Item | undefined {
    const chosen = this.#choice(elapsed)
    if (chosen === undefined) return undefined
    const item = chosen === 'retry' ? this.#retries.shift() : takeFirst(chosen, this.webhook.id)
    if (!item) return undefined
    const { seq } = item.event
    // A replay may have it as well as a retry: one event is under way once.
    this.#retries = this.#retries.filter(({ event }) => event.seq !== seq)
    const isRetry = item.feed === undefined
    this.#underWay.set(seq, { at: elapsed, isRetry, isProbe: this.#circuit.isOpen })
    item.feed?.underWay.add(seq)
    return item
  }

  /** An attempt is over. */
  finish(item: Item, attempt: Attempt, askedMs: number | undefined, elapsed: number): Delivery {
    const { seq } = item.event
    const delivery = afterAttempt(item.delivery, attempt, askedMs, this.#deps.random)
    const { at = elapsed, isProbe = false } = this.#underWay.get(seq) ?? {}
    const { ms } = attempt
    const isGood = isDelivered(attempt) && ms <= SLOW_MS && !this.#deps.isBusy()
    const reply = { at, ms, underWay: this.underWay }
    this.#limit = isGood ? afterReply(this.#limit, reply, elapsed) : fallen(elapsed)
    this.#underWay.delete(seq)
    item.feed?.underWay.delete(seq)
    if (item.feed?.upTo !== undefined) item.feed.sent.push(seq)
    this.#unstored.push(delivery)
    this.#lastMs = ms
    if (isDelivered(attempt)) {
      this.#circuit = CLOSED
      this.#failingSince = undefined
      this.#lastDeliveredAt = attempt.at
      return delivery
    }
    this.#nextDueAt = Math.min(this.#nextDueAt, delivery.nextAt ?? this.#nextDueAt)
    const { isOpen } = this.#circuit
    const failure = { attempt, askedMs: askedMs ?? 0, isProbe, elapsed }
    this.#circuit = afterFailure(this.#circuit, failure, this.#deps.random)
    if (this.#circuit.isOpen && !isOpen) this.#dropReadAhead()
    this.#judge(attempt)
    return delivery
  }

  /** What is to be stored. Undefined: nothing. `withFeeds`: also when only feeds have moved. */
  progress(withFeeds: boolean): Progress | undefined {
    const moved = this.feeds
      .map((feed) => ({ feed, after: afterOf(feed) }))
      .filter(({ feed, after }) => after > feed.storedAfter)
    if (this.#unstored.length === 0 && (!withFeeds || moved.length === 0)) return undefined
    const { id: webhookId, revision } = this.webhook
    return {
      ...{ webhookId, revision, deliveries: [...this.#unstored] },
      feeds: moved.map(({ feed, after }) => {
        return { number: feed.number, after, sent: feed.sent.filter((seq) => seq <= after).length }
      }),
      ...{ failingSince: this.#failingSince, lastDeliveredAt: this.#lastDeliveredAt },
      ...{ probeAt: this.#circuit.isOpen ? this.#circuit.storedProbeAt : undefined },
      disabled: this.#disabled,
    }
  }

  /** The storage has it. */
  stored({ deliveries, feeds }: Progress) {
    this.#unstored = this.#unstored.slice(deliveries.length)
    for (const { number, after } of feeds)
      for (const feed of this.feeds) if (feed.number === number) noteStored(feed, after)
    this.feeds = this.feeds.filter(({ upTo, storedAfter }) => upTo === undefined || storedAfter < upTo)
  }

  /** What can be sent now: a feed with a new event, or 'retry'. */
  #choice(elapsed: number): FeedReader | 'retry' | undefined {
    if (this.isOver || this.#underWay.size >= this.#most(elapsed)) return undefined
    const retry = this.#retries.length > 0 ? 'retry' : undefined
    if (this.#circuit.isOpen) return this.#mayProbe(elapsed) ? (retry ?? this.#freshFeed()) : undefined
    return retry && this.#isRetrysTurn() ? retry : (this.#freshFeed() ?? retry)
  }

  /** Requests that may be under way. */
  #most(elapsed: number): number {
    return this.isSlow(elapsed) || this.#deps.isBusy() ? UNDER_WAY.least : this.#limit.value
  }

  /** The circuit is open, and one delivery may find out whether the endpoint is back. */
  #mayProbe(elapsed: number): boolean {
    return this.#circuit.isOpen && this.#underWay.size === 0 && elapsed >= this.#circuit.probeAt
  }

  /** The feed of the next first attempt. The one without an end is the first: new events go before a replay. */
  #freshFeed(): FeedReader | undefined {
    return this.feeds.find(({ queue: [event] }) => event !== undefined && !this.#isBusy(event.seq))
  }

  /** Whether the next place of the first four is that of one that is tried again. */
  #isRetrysTurn(): boolean {
    if (this.#underWay.size < UNDER_WAY.least - 1) return false
    return ![...this.#underWay.values()].some(({ isRetry }) => isRetry)
  }

  #isBusy(seq: number): boolean {
    return this.#underWay.has(seq) || this.#unstored.some((delivery) => delivery.seq === seq)
  }

  /** Empties the read-ahead. Its events and retries are read again later. */
  #dropReadAhead() {
    this.#retries = []
    for (const feed of this.feeds) dropQueue(feed)
  }

  /** After a failure: whether the webhook is disabled. */
  #judge({ at, status }: Attempt) {
    // A clock that is wrong by days for a minute must not disable a webhook that has failed for a minute.
    const since = this.#deps.isClockDoubted() ? at : Math.min(this.#failingSince ?? at, at)
    this.#failingSince = since
    if (status === 410) this.#disabled = 'gone'
    else if (at - since >= ONLY_FAILURES_MS) this.#disabled = 'failing'
    if (this.#disabled !== undefined) this.isOver = true
  }
}
