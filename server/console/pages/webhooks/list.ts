import { isoInstant } from '../../../platform/clock.ts'
import { html } from '../../../site/parts/html.ts'
import type { Backlog, Delivery, Webhook } from '../../../webhooks/webhook.ts'
import { ago, timeOf } from '../../parts/format.ts'
import { askedFor, type Column, type Field, fileOf, listOf, ROWS, wantsFile } from '../../parts/list.ts'
import { inSlice } from '../../parts/reading.ts'
import type { OwnVisit, Route } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { healthOf, lastAttempt, shownAddress } from './words.ts'

const words = wordsOf({
  title: ['Webhooks', 'Webhook'],
  open: ['open, next try', 'đang ngắt, thử lại lúc'],
  closed: ['closed', 'bình thường'],
})

const FIELDS: readonly Field[] = [
  {
    name: 'state',
    label: ['State', 'Trạng thái'],
    choices: [
      { value: 'failing', label: ['failing', 'đang lỗi'] },
      { value: 'disabled', label: ['disabled', 'đã tắt'] },
      { value: 'enabled', label: ['enabled', 'đang bật'] },
    ],
  },
  { name: 'partner', label: ['Partner', 'Đối tác'] },
]

/** What waits for an endpoint. */
export interface Held {
  backlog: Backlog | undefined
  /** Bounded: see WebhookRecords.held. */
  held: { count: number; isMore: boolean }
}

interface Row extends Held {
  webhook: Webhook
  partner: string
  failure: Delivery | undefined
}

/** Reads what waits for an endpoint. */
export async function heldOf(visit: OwnVisit, webhook: Webhook): Promise<Held> {
  const { webhooks } = visit.storage
  const backlog = await webhooks.backlog(webhook.id)
  const held = await inSlice(visit, () => webhooks.held(webhook, backlog?.after ?? 0))
  return { backlog, held }
}

export function heldText({ held: { count, isMore } }: Pick<Held, 'held'>): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, '.')}${isMore ? '+' : ''}`
}

export function circuitOf({ backlog }: Pick<Held, 'backlog'>, lang: Lang) {
  const w = words(lang)
  if (backlog?.probeAt === undefined) return html`<span class="stage">${w.closed}</span>`
  return html`<span class="bad">${w.open}</span> ${timeOf(backlog.probeAt, lang)}`
}

function columnsIn(lang: Lang, now: number): readonly Column<Row>[] {
  return [
    {
      name: 'partner',
      head: ['Partner', 'Đối tác'],
      cell: ({ partner, webhook }) =>
        html`${partner} <small><code class="id">${webhook.clientId}</code></small>`,
      file: ({ webhook }) => webhook.clientId,
    },
    {
      name: 'id',
      head: ['Webhook', 'Webhook'],
      cell: ({ webhook: { id } }) => html`<a href="/webhooks/${id}"><code class="id">${id}</code></a>`,
      file: ({ webhook }) => webhook.id,
    },
    {
      name: 'address',
      head: ['Address', 'Địa chỉ'],
      cell: ({ webhook }) => html`<span class="address">${shownAddress(webhook.url)}</span>`,
      file: ({ webhook }) => shownAddress(webhook.url),
    },
    {
      name: 'state',
      head: ['State', 'Trạng thái'],
      cell: ({ webhook }) => healthOf(webhook, lang),
      file: ({ webhook }) => stateOf(webhook),
    },
    {
      name: 'failingSince',
      head: ['Failing since', 'Lỗi từ'],
      cell: ({ webhook: { failingSince: at } }) =>
        at === undefined ? '' : html`${timeOf(at, lang)} <small>${ago(at, now, lang)}</small>`,
      file: ({ webhook: { failingSince: at } }) => (at === undefined ? '' : isoInstant(at)),
    },
    {
      name: 'held',
      head: ['Held events', 'Sự kiện đang giữ'],
      cell: heldText,
      file: ({ held }) => held.count,
      isNumber: true,
    },
    {
      name: 'circuit',
      head: ['Circuit', 'Ngắt mạch'],
      cell: (row) => circuitOf(row, lang),
      file: ({ backlog }) => (backlog?.probeAt === undefined ? '' : isoInstant(backlog.probeAt)),
    },
    {
      name: 'lastFailure',
      head: ['Last failure', 'Lỗi gần nhất'],
      cell: ({ failure }) => (failure ? lastAttempt(failure, lang) : ''),
      file: ({ failure }) => {
        const last = failure?.attempts.at(-1)
        return last ? `${isoInstant(last.at)} ${last.status ?? ''} ${last.error ?? ''}`.trim() : ''
      },
    },
    {
      name: 'lastDelivered',
      head: ['Last delivered', 'Gửi được lần cuối'],
      cell: ({ webhook }) => timeOf(webhook.lastDeliveredAt, lang),
      file: ({ webhook: { lastDeliveredAt: at } }) => (at === undefined ? '' : isoInstant(at)),
    },
  ]
}

function stateOf({ state, failingSince }: Webhook): 'enabled' | 'failing' | 'disabled' {
  if (state === 'disabled') return 'disabled'
  return failingSince === undefined ? 'enabled' : 'failing'
}

/** The newest delivery that has not arrived, when the endpoint is in trouble. */
async function failureOf(visit: OwnVisit, webhook: Webhook): Promise<Delivery | undefined> {
  if (stateOf(webhook) === 'enabled') return undefined
  for (const state of ['pending', 'failed'] as const) {
    const { rows } = await inSlice(visit, () =>
      visit.storage.webhooks.deliveries(webhook.id, { state }, { limit: 1 }),
    )
    const [failed] = rows.filter(({ attempts }) => attempts.length > 0)
    if (failed) return failed
  }
  return undefined
}

export const webhookList: Route = {
  method: 'GET',
  path: '/webhooks',
  role: 'viewer',
  async answer(visit) {
    const { c, lang, now, storage } = visit
    const asked = askedFor(c, FIELDS, ['after'])
    const partners = await storage.partners.list()
    const wanted = partners.filter(({ clientId }) => (asked.partner ?? clientId) === clientId)
    const all: { webhook: Webhook; partner: string }[] = []
    for (const { clientId, name: partner } of wanted)
      for (const webhook of await inSlice(visit, () => storage.webhooks.list(clientId)))
        if ((asked.state ?? stateOf(webhook)) === stateOf(webhook)) all.push({ webhook, partner })
    const begin = 1 + all.findIndex(({ webhook }) => webhook.id === asked.after)
    const shown = all.slice(begin, begin + ROWS)
    const rows: Row[] = []
    for (const one of shown)
      rows.push({
        ...one,
        ...(await heldOf(visit, one.webhook)),
        failure: await failureOf(visit, one.webhook),
      })
    const columns = columnsIn(lang, now)
    if (wantsFile(c)) return fileOf(c, 'webhooks', columns, rows)
    const last = begin + ROWS < all.length ? rows.at(-1) : undefined
    return {
      title: words(lang).title,
      body: html`<div class="rows">${listOf({
        ...{ lang, path: '/webhooks', asked, fields: FIELDS, columns, rows },
        next: last && { after: last.webhook.id },
      })}</div>`,
    }
  },
}
