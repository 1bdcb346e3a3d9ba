import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Progress, Sending, WebhookQueue } from '../ports.ts'
import { Endpoint, type EndpointDeps } from './endpoint/endpoint.ts'

/** Between two reads of the webhooks. */
export const REFRESH_EVERY_MS = 1_000
/** The webhooks are not read for more than this share of the time, however often partners change them. */
const REFRESH_SHARE = 0.1
/** Deliveries of one commit, so that payments do not wait for it. */
const MOST_STORED = 200

const WHY = { gone: 'it answered 410', failing: 'it has only failed for five days' } as const

interface RosterDeps extends EndpointDeps {
  queue: Pick<WebhookQueue, 'sending' | 'nextDue' | 'store'>
  clock: Clock
  log: Logger
}

/**
 * The endpoints that this hub sends to. One that leaves begins no request. It stays until none of its requests is under
 * way and all its results are stored. Only then its webhook may get another endpoint. Calls `left` with each endpoint that leaves.
 */
export function createRoster(deps: RosterDeps, left: (endpoint: Endpoint) => void) {
  const { queue, clock } = deps
  /** By webhook. */
  const current = new Map<string, Endpoint>()
  const leaving = new Map<string, Endpoint>()
  const all = () => [...leaving.values(), ...current.values()]
  let refreshAt = 0
  let earliestRefreshAt = 0

  function leave(endpoint: Endpoint) {
    endpoint.isOver = true
    left(endpoint)
    const { id } = endpoint.webhook
    if (current.get(id) === endpoint) current.delete(id)
    if (!endpoint.isIdle()) leaving.set(id, endpoint)
  }

  function adopt(stored: readonly Sending[]) {
    const ids = new Set(stored.map(({ id }) => id))
    for (const [id, endpoint] of current) if (!ids.has(id)) leave(endpoint)
    for (const webhook of stored) {
      const endpoint = current.get(webhook.id)
      if (endpoint?.webhook.revision === webhook.revision) endpoint.update(webhook)
      // What it has read, and its failures, count no more: the webhook gets a new endpoint.
      else if (endpoint) leave(endpoint)
      if (!current.has(webhook.id) && !leaving.has(webhook.id))
        current.set(webhook.id, new Endpoint(webhook, deps))
    }
  }

  return {
    current: () => [...current.values()],
    all,
    isAnyLeaving: () => leaving.size > 0,
    isRefreshDue: () => clock.elapsed() >= refreshAt,
    leave,

    /** A webhook has changed: all are read soon. What its open circuit holds may be sent now. */
    changed(webhookId: string) {
      refreshAt = Math.min(refreshAt, earliestRefreshAt)
      current.get(webhookId)?.probeAt(clock.elapsed())
    },

    /** Reads the webhooks, and when their next deliveries are due. */
    async refresh() {
      const startedAt = clock.elapsed()
      refreshAt = startedAt + REFRESH_EVERY_MS
      const stored = await queue.sending()
      const restMs = (clock.elapsed() - startedAt) / REFRESH_SHARE
      earliestRefreshAt = startedAt + Math.min(restMs, REFRESH_EVERY_MS)
      adopt(stored)
      if (stored.length === 0) return
      const due = await queue.nextDue(stored.map(({ id }) => id))
      for (const [id, endpoint] of current) endpoint.setNextDue(due.get(id))
    },

    /**
     * Stores what attempts have changed, and forgets endpoints that have left. Their webhooks are read at once. `withFeeds`:
     * also of endpoints of which only feeds have moved.
     */
    async store(withFeeds: boolean) {
      await storeProgress(deps, all(), withFeeds)
      for (const [id, endpoint] of leaving) {
        if (!endpoint.isIdle()) continue
        leaving.delete(id)
        refreshAt = 0
      }
    },
  }
}

async function storeProgress(
  { queue, clock, log }: RosterDeps,
  endpoints: readonly Endpoint[],
  withFeeds: boolean,
) {
  for (const batch of batchesOf(endpoints, withFeeds)) {
    await queue.store([...batch.values()], clock.now())
    for (const [endpoint, progress] of batch) {
      endpoint.stored(progress)
      const { id: webhookId, clientId: partner } = endpoint.webhook
      const { disabled } = progress
      if (disabled !== undefined) log.warn({ webhookId, partner }, `a webhook is disabled: ${WHY[disabled]}`)
    }
  }
}

/** What comes in while a batch is stored is in the next one, if its endpoint is. */
function* batchesOf(endpoints: readonly Endpoint[], withFeeds: boolean) {
  let batch = new Map<Endpoint, Progress>()
  let count = 0
  for (const endpoint of endpoints) {
    const progress = endpoint.progress(withFeeds)
    if (!progress) continue
    batch.set(endpoint, progress)
    count += progress.deliveries.length
    if (count < MOST_STORED) continue
    yield batch
    batch = new Map()
    count = 0
  }
  if (batch.size > 0) yield batch
}
