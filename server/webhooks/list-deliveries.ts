import { eventId } from '../events/event-id.ts'
import type { EventLog } from '../events/ports.ts'
import type { Cursors } from '../platform/lists/cursors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page, PageRequest } from '../platform/page.ts'
import { findWebhook } from './manage-webhooks.ts'
import type { WebhookQueue, WebhookRecords } from './ports.ts'
import { type Backlog, type Delivery, type DeliveryState, isFor, type Webhook } from './webhook.ts'

/** Rows that one slice reads: each has attempts to unseal and to parse. */
const AT_ONCE = 4
/** Events that one slice looks at for those that wait. */
const LOOKED_AT = 200

/** A delivery, also of an event that waits for its first attempt. */
export interface ListedDelivery extends Delivery {
  /** It waits until one request has found out whether the endpoint is back. */
  held: boolean
}

/** Deliveries, and the seq down to which there are no more. 0: there are no more at all. */
interface Part {
  rows: readonly Delivery[]
  downTo: number
}

/**
 * Lists the deliveries of one of the owner's webhooks, or of one of all partners', those of the newest events first. An event that waits in the log
 * has no row: it is pending all the same.
 */
export function listDeliveries(deps: {
  webhooks: Pick<WebhookRecords, 'find' | 'backlog' | 'deliveries'>
  queue: Pick<WebhookQueue, 'begun'>
  events: Pick<EventLog, 'outlinesBelow'>
  slices: Slices
  cursors: Cursors
}) {
  const { webhooks, queue, events, ...walk } = deps

  return async function listDeliveries(
    owner: string | undefined,
    id: string,
    filter: { state: DeliveryState | undefined },
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<ListedDelivery>> {
    const webhook = await findWebhook(webhooks, owner, id)
    const { clientId } = webhook
    const backlog = await webhooks.backlog(id)
    const hasWaiting = filter.state === undefined || filter.state === 'pending'
    const listed = toListed(webhook, backlog?.probeAt)
    return walkList(walk, { list: `deliveries/${id}`, clientId, ...page, atOnce: AT_ONCE }, async (asked) => {
      // First: an event whose attempt ends between the two reads is in both.
      const waiting = hasWaiting && backlog ? await waitingOf(webhook, backlog, asked) : NONE
      const { rows, next } = await webhooks.deliveries(id, filter, asked)
      return join({ rows, downTo: Number(next ?? 0) }, waiting, asked.limit, listed)
    })
  }

  async function waitingOf(webhook: Webhook, { after: above }: Backlog, page: PageRequest): Promise<Part> {
    const { id: webhookId, clientId, state } = webhook
    const below = page.after === undefined ? Number.MAX_SAFE_INTEGER : Number(page.after)
    if (below <= above + 1) return NONE
    const looked = await events.outlinesBelow(clientId, { above, below, limit: LOOKED_AT })
    const wanted = looked.filter((event) => isFor(webhook, event))
    const seqs = wanted.map(({ seq }) => seq)
    const begun = seqs.length === 0 ? new Set() : await queue.begun(webhookId, seqs)
    const idOf = eventId(clientId)
    const rows = wanted
      .filter(({ seq }) => !begun.has(seq))
      .map(({ seq, at, type }) => ({
        ...{ webhookId, seq, eventId: idOf(at, seq), type, state: 'pending' as const, step: 0 },
        ...{ nextAt: state === 'enabled' ? at : undefined, attempts: [] },
      }))
    return { rows, downTo: looked.length === LOOKED_AT ? (looked.at(-1)?.seq ?? 0) : 0 }
  }
}

const NONE: Part = { rows: [], downTo: 0 }

/** The page of two parts, as far down as both of them have been read. */
function join<T>(stored: Part, waiting: Part, limit: number, toItem: (delivery: Delivery) => T): Page<T> {
  const downTo = Math.max(stored.downTo, waiting.downTo)
  const bySeq = new Map([...waiting.rows, ...stored.rows].map((row) => [row.seq, row]))
  const all = [...bySeq.values()].filter(({ seq }) => seq >= downTo).sort((one, other) => other.seq - one.seq)
  const rows = all.slice(0, limit)
  const last = rows.length < all.length ? (rows.at(-1)?.seq ?? downTo) : downTo
  return {
    rows: rows.map((row) => ({ ...toItem(row), cursor: String(row.seq) })),
    next: last > 0 ? String(last) : undefined,
  }
}

/** While the endpoint is held, nothing that is pending is tried before `probeAt`. */
const toListed =
  ({ state }: Webhook, probeAt: number | undefined) =>
  (delivery: Delivery): ListedDelivery => {
    if (probeAt === undefined || state === 'disabled' || delivery.state !== 'pending')
      return { ...delivery, held: false }
    return { ...delivery, nextAt: Math.max(delivery.nextAt ?? probeAt, probeAt), held: true }
  }
