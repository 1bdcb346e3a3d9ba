import type { Clock } from '../../platform/clock.ts'
import type { Sending, WebhookQueue } from '../ports.ts'
import { Endpoint, type EndpointDeps } from './endpoint/endpoint.ts'

/** Between two reads of the webhooks. */
export const REFRESH_EVERY_MS = 1_000
/** The webhooks are not read for more than this share of the time, however often partners change them. */
const REFRESH_SHARE = 0.1

export interface RosterDeps extends EndpointDeps {
  queue: Pick<WebhookQueue, 'sending' | 'nextDue'>
  clock: Clock
}

/**
 * The endpoints that this hub sends to. One that leaves begins no request. It stays until none of its requests is under
 * way and all its results are stored. Only then its webhook may get another endpoint. `left` is told of each that leaves.
 */
export function createRoster(deps: RosterDeps, left: (endpoint: Endpoint) => void) {
  const { queue, clock } = deps
  /** By webhook. */
  const current = new Map<string, Endpoint>()
  const leaving = new Set<Endpoint>()
  let refreshAt = 0
  let earliestRefreshAt = 0

  function leave(endpoint: Endpoint) {
    endpoint.isOver = true
    left(endpoint)
    const { id } = endpoint.webhook
    if (current.get(id) === endpoint) current.delete(id)
    if (!endpoint.isIdle()) leaving.add(endpoint)
  }

  function adopt(stored: readonly Sending[]) {
    const ids = new Set(stored.map(({ id }) => id))
    for (const [id, endpoint] of current) if (!ids.has(id)) leave(endpoint)
    for (const webhook of stored) {
      const endpoint = current.get(webhook.id)
      if (endpoint?.webhook.revision === webhook.revision) endpoint.update(webhook)
      // What it has read, and its failures, count no more: the webhook gets a new endpoint.
      else if (endpoint) leave(endpoint)
    }
    const leavingIds = new Set([...leaving].map((endpoint) => endpoint.webhook.id))
    for (const webhook of stored)
      if (!current.has(webhook.id) && !leavingIds.has(webhook.id))
        current.set(webhook.id, new Endpoint(webhook, deps))
  }

  return {
    current: () => [...current.values()],
    all: () => [...leaving, ...current.values()],
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
      const tookMs = clock.elapsed() - startedAt
      earliestRefreshAt = startedAt + Math.min(tookMs / REFRESH_SHARE, REFRESH_EVERY_MS)
      adopt(stored)
      if (stored.length === 0) return
      const due = await queue.nextDue(stored.map(({ id }) => id))
      for (const [id, endpoint] of current) endpoint.setNextDue(due.get(id))
    },

    /** Forgets those that have left. Their webhooks are read at once. */
    forgetLeft() {
      for (const endpoint of leaving) {
        if (!endpoint.isIdle()) continue
        leaving.delete(endpoint)
        refreshAt = 0
      }
    },
  }
}
