import { timeAtSeq } from '../../../events/event.ts'
import { readInstant } from '../../../operate/instant.ts'
import { mayAct } from '../../../operators/session.ts'
import { fieldError } from '../../../platform/errors.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import type { ListedDelivery } from '../../../webhooks/list-deliveries.ts'
import { findWebhook } from '../../../webhooks/manage-webhooks.ts'
import { DELIVERY_STATES, type DeliveryState, type Webhook } from '../../../webhooks/webhook.ts'
import { ago, timeOf } from '../../parts/format.ts'
import { askedFor, type Column, type Field, fileOf, listOf, wantsFile } from '../../parts/list.ts'
import { type Fact, factList, notice } from '../../parts/pieces.ts'
import { formOf } from '../../parts/reading.ts'
import type { ChangeVisit, OwnVisit, Page, Route } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { circuitOf, type Held, heldOf, heldText } from './list.ts'
import { healthOf, lastAttempt, shownAddress, stateIn } from './words.ts'

/** Deliveries of one page: their attempts have to be unsealed. */
const DELIVERIES = 20

const words = wordsOf({
  title: ['Webhook', 'Webhook'],
  deliveries: ['Last deliveries', 'Các lần gửi gần đây'],
  replay: ['Send again', 'Gửi lại'],
  replaySince: [
    'Send all events again since (2h, 2026-11-20 10:15)',
    'Gửi lại mọi sự kiện từ (2h, 2026-11-20 10:15)',
  ],
  until: ['until (empty: now)', 'đến (để trống: bây giờ)'],
  enable: ['Enable', 'Bật lại'],
  sure: ['Send these events again?', 'Gửi lại các sự kiện này?'],
  sureText: [
    'The partner gets all of them once more, also those that arrived. This can not be taken back.',
    'Đối tác sẽ nhận lại tất cả, kể cả những sự kiện đã nhận. Không thể rút lại.',
  ],
  yes: ['Yes, send them again', 'Đồng ý, gửi lại'],
  no: ['No, back', 'Không, quay lại'],
  since: ['From', 'Từ'],
  to: ['Until', 'Đến'],
  now: ['now', 'bây giờ'],
  enabled: ['It is enabled. What waited is sent now.', 'Đã bật. Những gì đang chờ sẽ được gửi ngay.'],
  replayed: ['Events that are sent again:', 'Số sự kiện được gửi lại:'],
  waitsForProbe: ['held', 'đang giữ'],
})
const facts = wordsOf({
  address: ['Address', 'Địa chỉ'],
  state: ['State', 'Trạng thái'],
  failing: ['Failing since', 'Lỗi từ'],
  delivered: ['Last delivered', 'Gửi được lần cuối'],
  held: ['Held events', 'Sự kiện đang giữ'],
  circuit: ['Circuit', 'Ngắt mạch'],
  types: ['Events', 'Sự kiện'],
  all: ['all', 'tất cả'],
  description: ['Description', 'Mô tả'],
  partner: ['Partner', 'Đối tác'],
  made: ['Created', 'Tạo lúc'],
  replay: ['Being sent again', 'Đang gửi lại'],
})

const FIELDS: readonly Field[] = [
  {
    name: 'state',
    label: ['State', 'Trạng thái'],
    choices: DELIVERY_STATES.map((value) => ({
      value,
      label: [stateIn('en')[value], stateIn('vi')[value]],
    })),
  },
]

const found = ({ storage, c }: OwnVisit) => findWebhook(storage.webhooks, undefined, c.req.param('id') ?? '')

async function show(visit: OwnVisit) {
  const { c, lang, verbs, storage } = visit
  const webhook = await found(visit)
  const asked = askedFor(c, FIELDS, ['cursor'])
  const state = DELIVERY_STATES.find((one: DeliveryState) => one === asked.state)
  const { rows, next } = await verbs.listDeliveries(
    undefined,
    webhook.id,
    { state },
    { limit: DELIVERIES, cursor: asked.cursor },
  )
  const columns = columnsIn(visit, webhook)
  if (wantsFile(c)) return fileOf(c, 'deliveries', columns, rows)
  const [partner, held] = await Promise.all([storage.partners.find(webhook.clientId), heldOf(visit, webhook)])
  const path = `/webhooks/${webhook.id}`
  return {
    title: `${words(lang).title} ${webhook.id}`,
    body: html`${doneOf(visit)}
${factsOf(visit, webhook, held, partner?.name ?? '')}
${mayAct(visit.who.role, 'operator') ? actionsOf(webhook, lang) : ''}
<h2>${words(lang).deliveries}</h2>
<div class="rows">${listOf({ lang, path, asked, fields: FIELDS, columns, rows, next: next === undefined ? undefined : { cursor: next } })}</div>`,
  } satisfies Page
}

/** What the change before this page has done. */
function doneOf({ c, lang }: OwnVisit): Html | string {
  const w = words(lang)
  const { done, count = '' } = c.req.query()
  if (done === 'enabled') return notice(w.enabled)
  if (done === 'replayed' && /^\d{1,9}$/.test(count)) return notice(`${w.replayed} ${count}`)
  return ''
}

function factsOf({ lang, now }: OwnVisit, webhook: Webhook, held: Held, partner: string): Html {
  const f = facts(lang)
  const { failingSince: since, lastDeliveredAt, types, description, clientId, createdAt } = webhook
  const replay = held.backlog?.replay
  const rows: Fact[] = [
    [f.address, shownAddress(webhook.url)],
    [f.state, healthOf(webhook, lang)],
    [f.delivered, timeOf(lastDeliveredAt, lang)],
    [f.held, heldText(held)],
    [f.circuit, circuitOf(held, lang)],
    [f.types, types ? html`<code>${types.join(', ')}</code>` : f.all],
    [f.partner, html`${partner} <code>${clientId}</code>`],
    [f.made, timeOf(createdAt, lang)],
  ]
  if (since !== undefined)
    rows.splice(2, 0, [f.failing, html`${timeOf(since, lang)} <small>${ago(since, now, lang)}</small>`])
  if (description !== '') rows.push([f.description, description])
  if (replay) rows.push([f.replay, `${replay.sent} / ${replay.count}`])
  return factList(rows)
}

function actionsOf({ id, state }: Webhook, lang: Lang): Html {
  const w = words(lang)
  return html`<div class="actions">
${state === 'disabled' ? html`<form method="post" action="/webhooks/${id}/enable"><button class="main">${w.enable}</button></form>` : ''}
<form class="filter" action="/webhooks/${id}/replay"><label>${w.replaySince}<input name="since" required maxlength="40"></label><label>${w.until}<input name="until" maxlength="40"></label><button>${w.replay}…</button></form>
</div>`
}

function columnsIn({ lang, who }: OwnVisit, { id }: Webhook): readonly Column<ListedDelivery>[] {
  const w = words(lang)
  const again: Column<ListedDelivery> = {
    name: 'event',
    head: ['Action', 'Thao tác'],
    cell: ({ eventId }) =>
      html`<form method="post" action="/webhooks/${id}/replay"><input type="hidden" name="eventId" value="${eventId}"><button aria-label="${w.replay}: ${eventId}">${w.replay}</button></form>`,
    file: ({ eventId }) => eventId,
  }
  return [
    {
      name: 'at',
      head: ['Event of', 'Sự kiện lúc'],
      cell: ({ seq }) => timeOf(timeAtSeq(seq), lang),
      file: ({ seq }) => new Date(timeAtSeq(seq)).toISOString(),
    },
    {
      name: 'type',
      head: ['Type', 'Loại'],
      cell: ({ type }) => html`<code>${type}</code>`,
      file: ({ type }) => type,
    },
    {
      name: 'state',
      head: ['State', 'Trạng thái'],
      cell: ({ state, held }) =>
        html`${stateIn(lang)[state]}${held ? html` <span class="warn">${w.waitsForProbe}</span>` : ''}`,
      file: ({ state }) => state,
    },
    {
      name: 'attempts',
      head: ['Attempts', 'Số lần gửi'],
      cell: ({ attempts }) => String(attempts.length),
      file: ({ attempts }) => attempts.length,
      isNumber: true,
    },
    {
      name: 'last',
      head: ['Last attempt', 'Lần gửi cuối'],
      cell: (one) => lastAttempt(one, lang),
      file: ({ attempts }) => String(attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? ''),
    },
    {
      name: 'next',
      head: ['Next attempt', 'Lần gửi tiếp'],
      cell: ({ nextAt }) => (nextAt === undefined ? '' : timeOf(nextAt, lang)),
      file: ({ nextAt }) => (nextAt === undefined ? '' : new Date(nextAt).toISOString()),
    },
    {
      name: 'eventId',
      head: ['Event', 'Mã sự kiện'],
      cell: ({ eventId }) => html`<code class="id">${eventId}</code>`,
      file: ({ eventId }) => eventId,
    },
    ...(mayAct(who.role, 'operator') ? [again] : []),
  ]
}

function instantOf(name: 'since' | 'until', text: string, now: number): number {
  const at = readInstant(text.trim(), now)
  if (at === undefined)
    throw fieldError(
      'VALIDATION_FAILED',
      name,
      'is a duration such as 2h, or a time such as 2026-11-20 10:15',
    )
  return at
}

/** Asks before a range is sent again. */
async function ask(visit: OwnVisit): Promise<Page> {
  const { c, lang, now } = visit
  const w = words(lang)
  const webhook = await found(visit)
  const { since = '', until = '' } = askedFor(c, [{ name: 'since' }, { name: 'until' }])
  const from = instantOf('since', since, now)
  const to = until === '' ? undefined : instantOf('until', until, now)
  return {
    title: w.sure,
    body: html`<p>${w.sureText}</p>
${factList([
  [facts(lang).address, shownAddress(webhook.url)],
  [w.since, timeOf(from, lang)],
  [w.to, to === undefined ? w.now : timeOf(to, lang)],
])}
<form method="post" action="/webhooks/${webhook.id}/replay"><input type="hidden" name="since" value="${new Date(from).toISOString()}"><input type="hidden" name="until" value="${to === undefined ? '' : new Date(to).toISOString()}"><button class="main">${w.yes}</button> <a href="/webhooks/${webhook.id}">${w.no}</a></form>`,
  }
}

async function replay(visit: ChangeVisit): Promise<Response> {
  const { c, verbs, by, now } = visit
  const id = c.req.param('id') ?? ''
  const field = await formOf(visit)
  const [eventId, until] = [field('eventId'), field('until')]
  const asked = eventId
    ? { eventId }
    : {
        since: instantOf('since', field('since'), now),
        until: until ? instantOf('until', until, now) : undefined,
      }
  const count = await verbs.replayEvents(by, id, asked, () => c.req.raw.signal)
  return c.redirect(`/webhooks/${encodeURIComponent(id)}?done=replayed&count=${count}`, 303)
}

async function enable({ c, verbs, by }: ChangeVisit): Promise<Response> {
  const id = c.req.param('id') ?? ''
  await verbs.changeWebhook(by, id, { state: 'enabled' }, () => undefined)
  return c.redirect(`/webhooks/${encodeURIComponent(id)}?done=enabled`, 303)
}

export const webhookDetail: readonly Route[] = [
  { method: 'GET', path: '/webhooks/:id', role: 'viewer', answer: show },
  { method: 'GET', path: '/webhooks/:id/replay', role: 'operator', answer: ask },
  { method: 'POST', path: '/webhooks/:id/replay', role: 'operator', answer: replay },
  { method: 'POST', path: '/webhooks/:id/enable', role: 'operator', answer: enable },
]
