import { firstSeqAt } from '../events/event.ts'
import type { EventLog } from '../events/ports.ts'
import { type Clock, isoInstant } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { type Actor, ownerOf } from '../security/actor.ts'
import { findWebhook } from './manage-webhooks.ts'
import type { ReplayRange, WebhookRecords } from './ports.ts'
import { isFor, type Webhook } from './webhook.ts'

/** Events of one range. */
const MOST_REPLAYED = 100_000
/** Events that one slice counts: they take about a millisecond. */
const AT_ONCE = 500
/** The longest that a count takes: other requests of the partner have their turns in between. */
export const COUNT_MS = 60_000
/** After this time the count before may be over. */
const RETRY_S = 2

/** One event, or those that happened from `since` (included) to `until` (not included; undefined: until now). */
export type Replay = { eventId: string } | { since: number; until: number | undefined }

interface ReplayDeps {
  webhooks: Pick<WebhookRecords, 'find' | 'backlog' | 'replay' | 'replayRange'>
  events: Pick<EventLog, 'find' | 'heads' | 'outlines'>
  slices: Slices
  /** Called with the id of a webhook that has something to send. */
  changed: (id: string) => void
  clock: Pick<Clock, 'now'>
}

/**
 * Sends events to a webhook that the actor may change again, whatever became of them, and returns how many. A range has those of
 * the webhook's types. Throws WEBHOOK_NOT_FOUND, EVENT_NOT_FOUND, and for a range WEBHOOK_REPLAY_UNDER_WAY and
 * WEBHOOK_REPLAY_TOO_LARGE.
 *
 * A range may be the whole log. So one at a time is counted and sent to a webhook, and the count ends when its client has
 * gone: nothing is sent then. `holds` is called when it begins, and gives the signal of that.
 */
export function replayEvents(deps: ReplayDeps) {
  const { webhooks, events, changed, clock } = deps
  /** The webhooks of which a range is counted. */
  const counting = new Set<string>()

  return async function replayEvents(
    by: Actor,
    id: string,
    asked: Replay,
    holds: (ms: number) => AbortSignal,
  ): Promise<number> {
    const webhook = await findWebhook(webhooks, ownerOf(by), id)
    if ('eventId' in asked) {
      await replayOne(by, webhook, asked.eventId)
      changed(id)
      return 1
    }
    if (counting.has(id)) throw new HubError('WEBHOOK_REPLAY_UNDER_WAY')
    counting.add(id)
    try {
      if ((await webhooks.backlog(id))?.replay) throw new HubError('WEBHOOK_REPLAY_UNDER_WAY')
      const range = await rangeOf(deps, webhook, asked, holds(COUNT_MS))
      if (range.count > 0 && !(await webhooks.replayRange(by, id, range, clock.now())))
        throw new HubError('WEBHOOK_REPLAY_UNDER_WAY')
      changed(id)
      return range.count
    } finally {
      counting.delete(id)
    }
  }

  async function replayOne(by: Actor, webhook: Webhook, eventId: string) {
    const event = await events.find(webhook.clientId, eventId)
    // A test is for one webhook only.
    if (!event || (event.type === 'webhook.test' && !isFor(webhook, event)))
      throw new HubError('EVENT_NOT_FOUND')
    await webhooks.replay(by, webhook.id, { eventId, seq: event.seq, type: event.type }, clock.now())
  }
}

/**
 * The range ends at the newest event that there is: later ones are sent anyway. Where events get their seqs after their
 * commit, one from before `until` may have a seq from after it.
 */
async function rangeOf(
  { events, slices }: ReplayDeps,
  webhook: Webhook,
  { since, until = Number.POSITIVE_INFINITY }: { since: number; until: number | undefined },
  gone: AbortSignal,
): Promise<ReplayRange> {
  const { clientId } = webhook
  const head = (await events.heads([clientId])).get(clientId) ?? 0
  const after = firstSeqAt(since) - 1
  let [at, upTo, count] = [Math.max(0, after), after, 0]
  while (at < head) {
    // Nobody reads this error, but a repeat under the same idempotency key gets it, and may try again.
    if (gone.aborted) throw new HubError('RATE_LIMITED', { retryAfterS: RETRY_S })
    const looked = await slices.run(clientId, () => events.outlines(clientId, { after: at, limit: AT_ONCE }))
    const within = looked.filter((event) => event.at < until && event.seq <= head)
    const last = within.at(-1)?.seq ?? upTo
    const wanted = looked.filter((event) => event.seq <= last && isFor(webhook, event))
    const excess = wanted[MOST_REPLAYED - count]
    if (excess) throw tooLarge(excess.at)
    count += wanted.length
    upTo = last
    if (within.length < looked.length || looked.length < AT_ONCE) break
    at = looked.at(-1)?.seq ?? head
  }
  return { after: Math.max(0, after), upTo, count }
}

/** `at`: the time of the first event that does not fit. */
function tooLarge(at: number): HubError {
  const until = isoInstant(at)
  const issue = `a range has at most ${MOST_REPLAYED} events: send until ${until} first, then the rest with since ${until}`
  return fieldError('WEBHOOK_REPLAY_TOO_LARGE', 'until', issue)
}
