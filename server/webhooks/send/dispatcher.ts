import type { EventLog } from '../../events/ports.ts'
import { isUnavailable } from '../../platform/errors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import { createLease } from '../../platform/time/lease.ts'
import { createLooks } from '../../platform/time/looks.ts'
import type { WebhookQueue } from '../ports.ts'
import type { EndpointDeps } from './endpoint/endpoint.ts'
import { createReader } from './reader.ts'
import { createRoster, REFRESH_EVERY_MS } from './roster.ts'
import { createSender, type SenderDeps } from './sender.ts'

/** Between two looks for new events and for what is due. */
const LOOK_EVERY_MS = 200
/** The pause while an endpoint has sent its whole read-ahead and the log has more events for it. */
const LOOK_AGAIN_MS = 50

export type Dispatcher = ReturnType<typeof createDispatcher>

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
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, log } = deps
  const lease = createLease(deps.leads, clock)
  const looks = createLooks(deps, { look, failure: 'webhooks are not sent', retryMs: REFRESH_EVERY_MS })
  const mayBegin = () => looks.isRunning() && !looks.hasFailed() && lease.isValid()
  const sender = createSender(deps, { mayBegin, over: (endpoint) => roster.leave(endpoint) })
  const roster = createRoster(deps, sender.forget)
  const reader = createReader(deps)

  /** Returns the pause before the next look. */
  async function look(succeeded: () => void): Promise<number> {
    await roster.store(roster.isRefreshDue())
    if (await lease.renew()) {
      if (roster.isRefreshDue()) await roster.refresh()
      succeeded()
    } else for (const endpoint of roster.current()) roster.leave(endpoint)
    const endpoints = roster.current()
    if (endpoints.length === 0) return roster.isAnyLeaving() ? LOOK_EVERY_MS : REFRESH_EVERY_MS
    const isMore = await reader.read(endpoints, (endpoint) => sender.serve([endpoint]))
    sender.serve(roster.all())
    return isMore ? LOOK_AGAIN_MS : LOOK_EVERY_MS
  }

  return {
    /** Begins to send. */
    start: () => looks.start(),
    /**
     * A partner has changed something of a webhook in this process, or has asked for a test or a replay: it is looked at
     * soon, also when its endpoint has failed so far.
     */
    changed(webhookId: string) {
      roster.changed(webhookId)
      looks.soon(LOOK_AGAIN_MS)
    },
    /** Requests under way. */
    underWay: sender.underWay,
    /** Begins no request, waits some seconds for those under way, and stores their results. */
    async stop() {
      await looks.stop()
      await sender.stop()
      // What is not stored now is sent again after the next start.
      await roster.store(true).catch((error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error }, 'the last results of webhooks were not stored')
      })
    },
  }
}
