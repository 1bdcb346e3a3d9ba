import type { EventType, PartnerEvent } from '../../../server/events/event.ts'
import type { EventLog } from '../../../server/events/ports.ts'
import { HubError } from '../../../server/platform/errors.ts'
import type { Progress, Sending, WebhookQueue } from '../../../server/webhooks/ports.ts'
import { type Delivery, isFor } from '../../../server/webhooks/webhook.ts'

export const CLIENT = 'partner-1'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** Events that one read of the log looks at. */
const LOOKED_AT = 200
/** Between two seqs of a partner. Real ones have gaps, too. */
const GAP = 10

/** The tables of webhooks and events in memory. It checks what no storage checks: that nothing is passed over. */
export function createMemoryQueue() {
  const webhooks = new Map<string, Sending>()
  const logs = new Map<string, PartnerEvent[]>()
  /** By webhook and seq. */
  const deliveries = new Map<string, Map<number, Delivery>>()
  /** The head of the log when a webhook began. */
  const began = new Map<string, number>()
  const stores: Progress[][] = []
  /** Events of replays that were sent, by webhook and number of the feed. */
  const replayed = new Map<string, number>()
  let isAway = false
  let deletedUpTo = 0
  let calls = 0

  const logOf = (clientId: string) => logs.get(clientId) ?? []
  const headOf = (clientId: string) => logOf(clientId).at(-1)?.seq ?? 0
  /** The events above a seq, up to another one. */
  const between = (clientId: string, above: number, upTo = Number.POSITIVE_INFINITY) =>
    logOf(clientId).slice(Math.floor(above / GAP), Math.floor(upTo / GAP))
  const rowsOf = (id: string) => [...(deliveries.get(id)?.values() ?? [])]

  async function reach() {
    calls += 1
    await Promise.resolve()
    if (isAway) throw new HubError('UNAVAILABLE')
  }

  function keep(delivery: Delivery) {
    const rows = deliveries.get(delivery.webhookId) ?? new Map<number, Delivery>()
    deliveries.set(delivery.webhookId, rows.set(delivery.seq, delivery))
  }

  function storeOne(progress: Progress) {
    const webhook = webhooks.get(progress.webhookId)
    if (!webhook) return
    for (const delivery of progress.deliveries) keep(delivery)
    for (const { number, after, sent = 0 } of webhook.revision === progress.revision ? progress.feeds : []) {
      const feed = webhook.feeds.find((one) => one.number === number)
      if (!feed || feed.after >= after) continue
      for (const event of between(webhook.clientId, Math.max(feed.after, deletedUpTo), after))
        if (isFor(webhook, event) && !deliveries.get(webhook.id)?.has(event.seq))
          throw new Error(`feed ${number} of ${webhook.id} passed ${event.seq} over`)
      feed.after = after
      const key = `${webhook.id} ${number}`
      replayed.set(key, (replayed.get(key) ?? 0) + sent)
    }
    webhook.feeds = webhook.feeds.filter(({ after, upTo }) => upTo === undefined || after < upTo)
    const { failingSince, lastDeliveredAt, disabled } = progress
    Object.assign(webhook, { failingSince, lastDeliveredAt })
    if (disabled !== undefined) Object.assign(webhook, { state: 'disabled', disabledReason: disabled })
  }

  const queue: WebhookQueue = {
    async sending() {
      await reach()
      const enabled = [...webhooks.values()].filter(({ state }) => state === 'enabled')
      return enabled.map((webhook) => ({ ...webhook, feeds: webhook.feeds.map((feed) => ({ ...feed })) }))
    },
    async begun(webhookId, seqs) {
      await reach()
      return new Set(seqs.filter((seq) => deliveries.get(webhookId)?.has(seq)))
    },
    async due(webhookId, at, limit) {
      await reach()
      const due = rowsOf(webhookId).filter(({ nextAt }) => nextAt !== undefined && nextAt <= at)
      return due.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0)).slice(0, limit)
    },
    async nextDue(ids) {
      await reach()
      return new Map(
        ids.flatMap((id) => {
          const times = rowsOf(id).flatMap(({ nextAt }) => nextAt ?? [])
          return times.length === 0 ? [] : [[id, Math.min(...times)] as const]
        }),
      )
    },
    async store(progress) {
      await reach()
      if (new Set(progress.map(({ webhookId }) => webhookId)).size < progress.length)
        throw new Error('a webhook is named twice')
      stores.push([...progress])
      for (const one of progress) storeOne(one)
    },
    async counts() {
      await reach()
      return { enabled: 0, failing: 0, disabled: { gone: 0, failing: 0, partner: 0 }, pending: 0 }
    },
  }

  const events: Pick<EventLog, 'page' | 'outlines' | 'heads' | 'find'> = {
    async page(clientId, { after, types, limit }) {
      await reach()
      const found: PartnerEvent[] = []
      let next = after
      let looked = 0
      for (const event of between(clientId, Math.max(after, deletedUpTo))) {
        if (found.length === limit || looked === LOOKED_AT) break
        looked += 1
        next = event.seq
        if (!types || types.includes(event.type)) found.push(event)
      }
      return { events: found, next, deletedUpTo }
    },
    async outlines(clientId, { after, limit }) {
      await reach()
      return between(clientId, Math.max(after, deletedUpTo)).slice(0, limit)
    },
    async heads(clientIds) {
      await reach()
      return new Map(clientIds.flatMap((id) => (headOf(id) > 0 ? [[id, headOf(id)] as const] : [])))
    },
    async find(clientId, id) {
      await reach()
      return logOf(clientId).find((event) => event.id === id && event.seq > deletedUpTo)
    },
  }

  return {
    queue,
    events,
    stores,
    replayed,
    /** Calls of the storage. */
    calls: () => calls,
    webhook: (id: string) => webhooks.get(id),
    deliveries: (id: string) => rowsOf(id).sort((a, b) => a.seq - b.seq),
    setAway(is: boolean) {
      isAway = is
    },
    /** Retention deletes events. */
    deleteUpTo(seq: number) {
      deletedUpTo = seq
    },
    keep,
    /** Adds a webhook at the head of its partner's log. */
    add(id: string, more: Partial<Sending> = {}): Sending {
      const clientId = more.clientId ?? CLIENT
      began.set(id, headOf(clientId))
      const webhook: Sending = {
        ...{
          id,
          clientId,
          url: `https://${id}.example/`,
          types: undefined,
          description: '',
          state: 'enabled',
        },
        ...{ disabledReason: undefined, createdAt: 0, failingSince: undefined, lastDeliveredAt: undefined },
        ...{ secret: SECRET, previous: undefined, revision: 0 },
        feeds: [{ number: 0, after: headOf(clientId), upTo: undefined }],
        ...more,
      }
      webhooks.set(id, webhook)
      return webhook
    },
    /** The partner changes it. */
    change(id: string, change: Partial<Sending>) {
      const webhook = webhooks.get(id)
      if (!webhook) return
      if (change.state === 'enabled' || (change.url ?? webhook.url) !== webhook.url)
        for (const row of rowsOf(id)) if (row.nextAt !== undefined) keep({ ...row, nextAt: 0 })
      if (change.state === 'disabled') webhook.feeds = webhook.feeds.filter(({ number }) => number === 0)
      Object.assign(webhook, change, { revision: webhook.revision + 1 })
    },
    remove: (id: string) => webhooks.delete(id),
    /** Adds an event to the log of a partner. */
    tell({
      clientId = CLIENT,
      type = 'device.locked' as EventType,
      data = {},
    }: {
      clientId?: string
      type?: EventType
      data?: Record<string, unknown>
    } = {}): PartnerEvent {
      const log = logOf(clientId)
      const seq = (log.length + 1) * GAP
      const event: PartnerEvent = { id: `evt_${clientId}_${seq}`, seq, type, at: seq, data }
      log.push(event)
      logs.set(clientId, log)
      return event
    },
    /** What each webhook should have got and has no delivery of: seqs. */
    missing(id: string): number[] {
      const webhook = webhooks.get(id)
      if (!webhook) return []
      return logOf(webhook.clientId)
        .filter((event) => event.seq > (began.get(id) ?? 0) && isFor(webhook, event))
        .filter(({ seq }) => deliveries.get(id)?.get(seq)?.state !== 'delivered')
        .map(({ seq }) => seq)
    },
  }
}
