import { type PartnerEvent, toEventJson } from '../../events/event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Sending } from '../ports.ts'
import { webhookHeaders } from '../sign.ts'
import type { Attempt } from '../webhook.ts'
import type { Endpoint } from './endpoint/endpoint.ts'
import type { Item } from './endpoint/feed-reader.ts'
import { isDelivered } from './endpoint/schedule.ts'
import { createLanes } from './lanes.ts'
import { failed, type Post, type PostRequest, type PostResult } from './post.ts'

/** When the hub stops, requests that are under way may end. */
const STOP_MS = 3_000

/** What became of an attempt: delivered; another status; no reply in time; no connection; an address that is refused. */
export const ATTEMPT_OUTCOMES = ['delivered', 'rejected', 'timeout', 'unreachable', 'refused'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

export interface SenderDeps {
  post: Post
  count: (outcome: AttemptOutcome) => void
  clock: Clock
  log: Logger
}

/** Sends what endpoints have to send, as far as `mayBegin` and the lanes allow. `over`: an endpoint sends no more. */
export function createSender(
  { post, count, clock, log }: SenderDeps,
  { mayBegin, over }: { mayBegin: () => boolean; over: (endpoint: Endpoint) => void },
) {
  const lanes = createLanes()
  const stopping = new AbortController()
  let onIdle: () => void = () => undefined

  /** Looks whether endpoints have something to send, and begins as many requests as may be under way. */
  function serve(endpoints: readonly Endpoint[]) {
    const elapsed = clock.elapsed()
    for (const endpoint of endpoints) lanes.place(endpoint, elapsed)
    if (mayBegin()) lanes.pump(elapsed, begin)
  }

  function begin(endpoint: Endpoint): boolean {
    const item = endpoint.take(clock.elapsed())
    if (item) void send(endpoint, item)
    return item !== undefined
  }

  async function send(endpoint: Endpoint, item: Item) {
    const [at, startedAt] = [clock.now(), clock.elapsed()]
    const result = await request(endpoint.webhook, item.event, at)
    lanes.ended(endpoint)
    // Without a result the event stays where it was: the next hub sends it.
    if (result) {
      const { outcome, status, error, reply, retryAfterMs } = result
      const ms = Math.round(clock.elapsed() - startedAt)
      finish(endpoint, item, { at, ms, status, error, reply }, retryAfterMs)
      if (outcome !== 'answered') count(outcome)
      else count(isDelivered({ status }) ? 'delivered' : 'rejected')
    }
    if (lanes.underWay() === 0) onIdle()
  }

  /** Sends an event once. Undefined when it was stopped. */
  async function request(webhook: Sending, event: PartnerEvent, at: number): Promise<PostResult | undefined> {
    try {
      return await post(requestOf(webhook, event, at), stopping.signal)
    } catch (error) {
      log.error({ err: error }, 'sending to a webhook has failed')
      return failed('unreachable', 'The hub could not send the request.')
    }
  }

  function finish(endpoint: Endpoint, item: Item, attempt: Attempt, askedMs: number | undefined) {
    const delivery = endpoint.finish(item, attempt, askedMs, clock.elapsed())
    const { webhookId, eventId, state, step } = delivery
    const { status, ms } = attempt
    log.debug({ webhookId, eventId, state, step, status, ms }, 'webhook attempt')
    if (endpoint.isOver) over(endpoint)
    else serve([endpoint])
  }

  return {
    serve,
    underWay: lanes.underWay,
    forget: lanes.forget,
    /** Waits some seconds for the requests that are under way, and ends the others. */
    async stop() {
      const { promise: isOver, resolve } = Promise.withResolvers<void>()
      onIdle = resolve
      const giveUp = clock.after(STOP_MS, resolve)
      if (lanes.underWay() > 0) await isOver
      giveUp()
      stopping.abort()
    },
  }
}

/** The same bytes each time, signed for this attempt. */
function requestOf({ url, secret, previous }: Sending, event: PartnerEvent, at: number): PostRequest {
  const secrets = [secret, ...(previous && previous.until > at ? [previous.secret] : [])]
  const body = JSON.stringify(toEventJson(event))
  return { url, headers: webhookHeaders(secrets, { id: event.id, at, body }), body }
}
