import type { EventLog } from '../../events/ports.ts'
import { isUnavailable } from '../../platform/errors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { WebhookQueue } from '../ports.ts'
import type { EndpointDeps } from './endpoint/endpoint.ts'
import { createLease } from './lease.ts'
import { createLooks } from './looks.ts'
import { createReader } from './reader.ts'
import { createRoster, REFRESH_EVERY_MS } from './roster.ts'
import { createSender, type SenderDeps } from './sender.ts'
import { storeResults } from './store-results.ts'

/** Between two looks for new events and for what is due. */
const LOOK_EVERY_MS = 200
/** The same while an endpoint has sent all that was read ahead, and more is there. */
const LOOK_AGAIN_MS = 50

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

export interface DispatcherDeps extends SenderDeps, EndpointDeps {
  queue: WebhookQueue
  events: Pick<EventLog, 'page' | 'heads' | 'find'>
  /** Whether this hub sends now. */
  leads: () => Promise<boolean>
  /** What it reads comes in slices, so that nothing of this thread waits for it. */
  slices: Slices
}

/**
 * Sends the events of partners to their webhooks. The event log is the queue: a delivery has a row from its first attempt
 * on. A hub that dies in between leaves the event in the log, and the next one sends it (again). Nothing waits for it.
 *
 * One look at a time stores the results of all endpoints in bulk, then reads what is next. Requests begin and end in
 * between: while the looks go on, this hub holds the lease, and the storage has answered the last look. While the storage
 * is away, the results are kept: at most those under way.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, log } = deps
  /** How the last look ended: `away` when the storage was not available, `failing` after any other error. */
  let storage: 'answering' | 'away' | 'failing' = 'answering'
  const lease = createLease(deps.leads, clock)
  const looks = createLooks(clock, lookOrSay)
  const mayBegin = () => looks.isRunning() && storage === 'answering' && lease.isValid()
  const sender = createSender(deps, { mayBegin, over: (endpoint) => roster.leave(endpoint) })
  const roster = createRoster(deps, sender.forget)
  const reader = createReader(deps)

  async function lookOrSay(): Promise<number> {
    try {
      return await look()
    } catch (error) {
      // The sweep says that the storage is away.
      if (!isUnavailable(error) && storage !== 'failing') log.error({ err: error }, 'webhooks are not sent')
      storage = isUnavailable(error) ? 'away' : 'failing'
      return REFRESH_EVERY_MS
    }
  }

  /** Returns the pause before the next look. */
  async function look(): Promise<number> {
    await store(roster.isRefreshDue())
    if (await lease.renew()) {
      if (roster.isRefreshDue()) await roster.refresh()
      storage = 'answering'
    } else for (const endpoint of roster.current()) roster.leave(endpoint)
    const endpoints = roster.current()
    if (endpoints.length === 0) return roster.isAnyLeaving() ? LOOK_EVERY_MS : REFRESH_EVERY_MS
    const isMore = await reader.read(endpoints, (endpoint) => sender.serve([endpoint]))
    sender.serve(roster.all())
    return isMore ? LOOK_AGAIN_MS : LOOK_EVERY_MS
  }

  async function store(withFeeds: boolean) {
    await storeResults(deps, roster.all(), withFeeds)
    roster.forgetLeft()
  }

  return {
    start: looks.start,
    changed(webhookId) {
      roster.changed(webhookId)
      looks.soon(LOOK_AGAIN_MS)
    },
    underWay: sender.underWay,
    async stop() {
      await looks.stop()
      await sender.stop()
      // What is not stored now is sent again after the next start.
      await store(true).catch((error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error }, 'the last results of webhooks were not stored')
      })
    },
  }
}
