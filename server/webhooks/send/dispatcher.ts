import type { EventLog } from '../../events/ports.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable } from '../../platform/errors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { Logger } from '../../platform/log.ts'
import type { WebhookQueue } from '../ports.ts'
import type { Attempt } from '../webhook.ts'
import { attempt } from './attempt.ts'
import { createEndpoint, type Endpoint, type Item, type Snapshot } from './endpoint.ts'
import { createLanes } from './lanes.ts'
import type { Post, PostResult } from './post.ts'
import { createReader } from './reader.ts'
import { isDelivered } from './schedule.ts'

/** Between two looks for new events and for what is due. */
const LOOK_EVERY_MS = 200
/** The same while an endpoint has sent all that was read ahead, and more is there. */
const LOOK_AGAIN_MS = 50
/** Between two reads of the webhooks, and between two questions whether this hub sends. */
const REFRESH_EVERY_MS = 1_000
/** The webhooks are not read for more than this share of the time, however often partners change them. */
const REFRESH_SHARE = 0.1
/** The lease of the hub that sends. */
const LEADS_FOR_MS = 3_000
/** When the hub stops, requests that are under way may end. */
const STOP_MS = 3_000

/** Deliveries of one commit, so that payments do not wait for it. */
const MOST_STORED = 200

/** What became of an attempt: delivered; another status; no reply in time; no connection; an address that is refused. */
export const ATTEMPT_OUTCOMES = ['delivered', 'rejected', 'timeout', 'unreachable', 'refused'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

export interface Dispatcher {
  /** Begins to send. */
  start(): void
  /** Begins no request, waits some seconds for those under way, and stores their results. */
  stop(): Promise<void>
  /**
   * A partner has changed something of a webhook in this process, or has asked for a test or a replay: it is looked at soon,
   * also when its endpoint has failed so far.
   */
  changed(webhookId: string): void
  /** Requests under way. */
  underWay(): number
}

export interface DispatcherDeps {
  queue: WebhookQueue
  events: Pick<EventLog, 'page' | 'heads' | 'find'>
  post: Post
  /** Whether this hub sends now. */
  leads: () => Promise<boolean>
  /** A number from 0 to below 1. */
  random: () => number
  /** Whether the clock was set: then no webhook is disabled, because nobody knows for how long it has failed. */
  isClockDoubted: () => boolean
  count: (outcome: AttemptOutcome) => void
  /** What it reads comes in slices, so that nothing of this thread waits for it. */
  slices: Slices
  clock: Clock
  log: Logger
}

/**
 * Sends the events of partners to their webhooks. The event log is the queue: a delivery has a row from its first attempt
 * on. A hub that dies in between leaves the event in the log, and the next one sends it (again). Nothing waits for it.
 *
 * One look at a time stores the results of all endpoints in bulk, then reads what is next. Requests begin and end in
 * between. While the storage is away, nothing new begins and the results are kept: at most those under way.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { queue, events, post, leads, count, slices, clock, log } = deps
  const lanes = createLanes()
  const reader = createReader({ queue, events, slices, clock })
  const endpoints = new Map<string, Endpoint>()
  /** They begin no request; some of theirs are under way or not stored. */
  const leaving = new Set<Endpoint>()
  const stopping = new AbortController()
  /** True before the start, so that `changed` plans no look. */
  let isStopped = true
  let isFailing = false
  /** The last look could not store or read. */
  let isAway = false
  let leadsUntil = 0
  let isLeader = false
  let askAt = 0
  let refreshAt = 0
  /** They are not read before that. */
  let mayRefreshAt = 0
  let lookAt = Number.POSITIVE_INFINITY
  let looking: Promise<void> = Promise.resolve()
  let isLooking = false
  let cancel: () => void = () => undefined
  let onIdle: () => void = () => undefined

  // Sending.

  function pump() {
    const elapsed = clock.elapsed()
    if (isStopped || isAway || elapsed > leadsUntil) return
    lanes.pump(elapsed, start)
  }

  function start(endpoint: Endpoint): boolean {
    const elapsed = clock.elapsed()
    const item = endpoint.take(elapsed)
    if (item) void send(endpoint, item, elapsed)
    return item !== undefined
  }

  async function send(endpoint: Endpoint, item: Item, startedAt: number) {
    const at = clock.now()
    const result = await attempt({ post, log }, endpoint.webhook(), item.event, at, stopping.signal)
    lanes.ended(endpoint)
    // Without a result the event stays where it was: the next hub sends it.
    if (result) finish(endpoint, item, { at, startedAt }, result)
    if (lanes.underWay() === 0) onIdle()
  }

  function finish(
    endpoint: Endpoint,
    item: Item,
    { at, startedAt }: { at: number; startedAt: number },
    { outcome, status, error, reply, retryAfterMs }: PostResult,
  ) {
    const elapsed = clock.elapsed()
    const attempt: Attempt = { at, ms: Math.round(elapsed - startedAt), status, error, reply }
    const delivery = endpoint.finish(item, attempt, retryAfterMs, elapsed)
    const isDone = isDelivered(attempt)
    count(isDone ? 'delivered' : outcome === 'answered' ? 'rejected' : outcome)
    const { webhookId, eventId, state, step } = delivery
    log.debug({ webhookId, eventId, state, step, status, ms: attempt.ms }, 'webhook attempt')
    if (endpoint.isOver()) return leave(endpoint)
    lanes.place(endpoint, elapsed)
    pump()
  }

  function leave(endpoint: Endpoint) {
    endpoint.leave()
    lanes.forget(endpoint)
    const { id } = endpoint.webhook()
    if (endpoints.get(id) === endpoint) endpoints.delete(id)
    if (!endpoint.isIdle()) leaving.add(endpoint)
  }

  // Storing.

  async function store(withFeeds: boolean) {
    let batch: { endpoint: Endpoint; snapshot: Snapshot }[] = []
    let length = 0
    async function flush() {
      if (batch.length === 0) return
      const now = batch
      batch = []
      length = 0
      await queue.store(
        now.map(({ snapshot: { count: _, ...progress } }) => progress),
        clock.now(),
      )
      for (const { endpoint, snapshot } of now) noteStored(endpoint, snapshot)
    }
    for (const endpoint of [...leaving, ...endpoints.values()]) {
      const snapshot = endpoint.snapshot(withFeeds)
      if (!snapshot) continue
      batch.push({ endpoint, snapshot })
      length += snapshot.count
      if (length >= MOST_STORED) await flush()
    }
    await flush()
    for (const endpoint of leaving) {
      if (!endpoint.isIdle()) continue
      leaving.delete(endpoint)
      refreshAt = 0
    }
  }

  function noteStored(endpoint: Endpoint, snapshot: Snapshot) {
    endpoint.stored(snapshot)
    if (snapshot.disabled === undefined) return
    const { id: webhookId, clientId: partner } = endpoint.webhook()
    const why = { gone: 'it answered 410', failing: 'it has only failed for five days' }[snapshot.disabled]
    log.warn({ webhookId, partner }, `a webhook is disabled: ${why}`)
  }

  // Reading.

  async function refresh() {
    const startedAt = clock.elapsed()
    refreshAt = startedAt + REFRESH_EVERY_MS
    const stored = await queue.sending()
    const tookMs = clock.elapsed() - startedAt
    mayRefreshAt = startedAt + Math.min(tookMs / REFRESH_SHARE, REFRESH_EVERY_MS)
    const left = new Set([...leaving].map((endpoint) => endpoint.webhook().id))
    const ids = new Set(stored.map(({ id }) => id))
    for (const [id, endpoint] of endpoints) if (!ids.has(id)) leave(endpoint)
    for (const webhook of stored) {
      const endpoint = endpoints.get(webhook.id)
      const isSame = endpoint?.webhook().revision === webhook.revision
      if (isSame) endpoint?.update(webhook)
      // What it read before, and how it went, counts no more: it begins anew once nothing of it is under way.
      else if (endpoint) leave(endpoint)
      const isLeft = left.has(webhook.id) || (endpoint && !isSame && !endpoint.isIdle())
      if (!isSame && !isLeft) endpoints.set(webhook.id, createEndpoint(webhook, deps))
    }
    if (ids.size === 0) return
    const due = await queue.nextDue([...ids])
    for (const [id, endpoint] of endpoints) endpoint.setNextDue(due.get(id))
  }

  // The looks.

  /** Returns the pause before the next look. */
  async function look(): Promise<number> {
    await store(clock.elapsed() >= refreshAt)
    if (clock.elapsed() >= askAt) {
      const askedAt = clock.elapsed()
      isLeader = await leads()
      askAt = askedAt + REFRESH_EVERY_MS
      if (isLeader) leadsUntil = askedAt + LEADS_FOR_MS
      else leadsUntil = 0
    }
    if (!isLeader) {
      for (const endpoint of [...endpoints.values()]) leave(endpoint)
      return leaving.size > 0 ? LOOK_EVERY_MS : REFRESH_EVERY_MS
    }
    if (clock.elapsed() >= refreshAt) await refresh()
    isAway = false
    isFailing = false
    if (endpoints.size === 0) return leaving.size > 0 ? LOOK_EVERY_MS : REFRESH_EVERY_MS
    const isMore = await reader.read([...endpoints.values()], (endpoint) => {
      lanes.place(endpoint, clock.elapsed())
      pump()
    })
    for (const endpoint of [...leaving, ...endpoints.values()]) lanes.place(endpoint, clock.elapsed())
    pump()
    return isMore ? LOOK_AGAIN_MS : LOOK_EVERY_MS
  }

  async function run() {
    let pauseMs = REFRESH_EVERY_MS
    isLooking = true
    try {
      pauseMs = await look()
    } catch (error) {
      isAway = true
      // The sweep says that the storage is away.
      if (!isUnavailable(error) && !isFailing) log.error({ err: error }, 'webhooks are not sent')
      isFailing = !isUnavailable(error)
    }
    isLooking = false
    later(pauseMs)
  }

  /** A look that is planned for an earlier time stays: who changes webhooks all the time must not put it off. */
  function later(pauseMs: number) {
    const at = clock.elapsed() + pauseMs
    if (isStopped || lookAt <= at) return
    lookAt = at
    cancel()
    cancel = clock.after(pauseMs, () => {
      lookAt = Number.POSITIVE_INFINITY
      looking = run()
    })
  }

  return {
    start() {
      isStopped = false
      later(0)
    },
    changed(webhookId) {
      refreshAt = Math.min(refreshAt, mayRefreshAt)
      endpoints.get(webhookId)?.probeAt(clock.elapsed())
      if (!isLooking) later(LOOK_AGAIN_MS)
    },
    underWay: lanes.underWay,
    async stop() {
      isStopped = true
      cancel()
      await looking
      if (lanes.underWay() > 0)
        await new Promise<void>((resolve) => {
          const giveUp = clock.after(STOP_MS, resolve)
          onIdle = () => {
            giveUp()
            resolve()
          }
        })
      stopping.abort()
      // What is not stored now is sent again after the next start.
      await store(true).catch((error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error }, 'the last results of webhooks were not stored')
      })
    },
  }
}
