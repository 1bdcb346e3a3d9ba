import type { PartnerEvent } from '../../events/event.ts'
import type { EventLog } from '../../events/ports.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { WebhookQueue } from '../ports.ts'
import { type Delivery, isFor } from '../webhook.ts'
import type { Endpoint } from './endpoint/endpoint.ts'
import type { FeedReader } from './endpoint/feed-reader.ts'

/** Reads of one look, for endpoints that are healthy and for those that are slow or have failed. Each takes about a millisecond. */
const MOST_READS = { healthy: 100, slow: 25 }
/**
 * Read-ahead in events: `each` for each request that a webhook may have under way until all webhooks together have `all`,
 * then `little`.
 */
const READ_AHEAD = { each: 8, all: 20_000, little: 1 }
/** Events of one read. */
const MOST_READ = 100
/** Read-ahead of a webhook in pending deliveries. */
const DUE_AHEAD = 8

interface ReaderDeps {
  queue: Pick<WebhookQueue, 'begun' | 'due'>
  events: Pick<EventLog, 'page' | 'heads' | 'find'>
  slices: Slices
  clock: Clock
}

/** Reads from the storage what webhooks are to send next. */
export function createReader(deps: ReaderDeps) {
  const { queue, events, slices, clock } = deps
  /** The head of the log at the first read. Up to it, an earlier hub may have stored deliveries beyond the endless feed. */
  const begunUpTo = new WeakMap<Endpoint, number>()
  /** How many webhooks were read: the next look begins there. */
  const turns = { healthy: 0, slow: 0 }

  /** One look. Calls `onRead` after each webhook. True when there is more than was read. */
  async function read(all: readonly Endpoint[], onRead: (endpoint: Endpoint) => void): Promise<boolean> {
    const sum = readAhead(all)
    const ahead = sum < READ_AHEAD.all ? READ_AHEAD.each : READ_AHEAD.little
    const heads = await events.heads([...new Set(all.map((one) => one.webhook.clientId))])
    const isSlow = Map.groupBy(all, (one) => one.isSlow(clock.elapsed()))
    const [healthy, slow] = [isSlow.get(false) ?? [], isSlow.get(true) ?? []]
    return [await readSome(healthy, 'healthy'), await readSome(slow, 'slow')].includes(true)

    /** Reads for some webhooks, in turn. True when there is more. */
    async function readSome(some: readonly Endpoint[], lane: keyof typeof turns): Promise<boolean> {
      let reads = 0
      let isMore = false
      for (let n = 0; n < some.length; n += 1) {
        const endpoint = some[turns[lane] % some.length]
        if (reads >= MOST_READS[lane] || !endpoint) return true
        turns[lane] += 1
        const head = heads.get(endpoint.webhook.clientId) ?? 0
        if (!begunUpTo.has(endpoint)) begunUpTo.set(endpoint, head)
        reads += await readDue(deps, endpoint)
        for (const feed of endpoint.feeds) {
          const end = feed.upTo ?? head
          if (feed.readTo >= end) continue
          const hasRead = await readFeed(endpoint, feed, ahead)
          if (hasRead) reads += 1
          // One that is healthy may use up its read-ahead before the next look, however much it has now.
          isMore ||= (hasRead || lane === 'healthy') && !endpoint.isOpen() && feed.readTo < end
        }
        onRead(endpoint)
      }
      return isMore
    }
  }

  /** Reads a page of a feed. False: it wants none now. */
  async function readFeed(endpoint: Endpoint, feed: FeedReader, ahead: number): Promise<boolean> {
    const limit = Math.min(endpoint.wants(feed, ahead, clock.elapsed()), MOST_READ)
    if (limit === 0) return false
    const webhook = endpoint.webhook
    const from = feed.readTo
    const types = webhook.types && [...new Set([...webhook.types, 'webhook.test' as const])]
    const page = await slices.run(webhook.clientId, () =>
      events.page(webhook.clientId, { after: from, types, limit }),
    )
    const last = feed.upTo ?? Number.POSITIVE_INFINITY
    // A replay is at its end, too, when nothing follows: new events are in the feed without an end.
    const isEnd = page.next === from && feed.upTo !== undefined
    const next = Math.min(last, isEnd ? last : Math.max(page.next, page.deletedUpTo))
    const wanted = page.events.filter((event) => event.seq <= last && isFor(webhook, event))
    const isBegun = feed.number === 0 && from < (begunUpTo.get(endpoint) ?? 0) && wanted.length > 0
    const seqs = wanted.map(({ seq }) => seq)
    const begun = isBegun ? await queue.begun(webhook.id, seqs) : undefined
    const added = wanted.filter(({ seq }) => !begun?.has(seq))
    endpoint.addNew(feed, from, added, next)
    return true
  }

  return { read }
}

/** Reads deliveries that are tried again now. Returns the number of reads. */
async function readDue({ queue, events, slices, clock }: ReaderDeps, endpoint: Endpoint): Promise<number> {
  const most = endpoint.wantsDue(DUE_AHEAD, clock.now(), clock.elapsed())
  if (most === 0) return 0
  const { id, clientId } = endpoint.webhook
  const due = await slices.run(clientId, () => queue.due(id, clock.now(), most))
  const items: { event: PartnerEvent; delivery: Delivery }[] = []
  for (const delivery of due) {
    const event = await slices.run(clientId, () => events.find(clientId, delivery.eventId))
    if (event) items.push({ event, delivery })
    else endpoint.giveUp(delivery, clock.now())
  }
  endpoint.addDue(items, due.length < most)
  return 1 + due.length
}

function readAhead(endpoints: readonly Endpoint[]): number {
  let length = 0
  for (const endpoint of endpoints) for (const { queue } of endpoint.feeds) length += queue.length
  return length
}
