import { STAGES } from '../../../announcements/announcement.ts'
import { cut } from '../../../operate/cli/output.ts'
import { isoInstant } from '../../../platform/clock.ts'
import { html } from '../../../site/parts/html.ts'
import type { StoreReport } from '../../../stores/ports.ts'
import { money, timeOf } from '../../parts/format.ts'
import {
  askedFor,
  type Column,
  type Field,
  fileOf,
  listOf,
  ROWS,
  tableOf,
  wantsFile,
} from '../../parts/list.ts'
import { STAGE_WORDS } from '../../parts/stages.ts'
import type { Answer, OwnVisit, Route } from '../../parts/visit.ts'
import { inLang, type Lang, wordsOf } from '../../parts/words.ts'
import { findPayments, type Row } from './find.ts'
import { outcomeIn, stagesOf } from './words.ts'

const words = wordsOf({
  title: ['Payments', 'Giao dịch'],
  more: [
    'Not all payments were looked at yet. “Older ones” looks further back.',
    'Chưa xem hết các giao dịch. “Cũ hơn” tìm tiếp về trước.',
  ],
  unreadable: ['This can not be read:', 'Không đọc được:'],
  which: ['Several shops fit. Which one?', 'Có nhiều cửa hàng phù hợp. Bạn muốn xem cửa hàng nào?'],
  noShop: ['No shop has this terminalID or name.', 'Không có cửa hàng nào có mã quầy hoặc tên này.'],
})

const FIELDS: readonly Field[] = [
  { name: 'from', label: ['From (24h, 7d, 2026-11-20 10:15)', 'Từ (24h, 7d, 2026-11-20 10:15)'] },
  { name: 'until', label: ['Until', 'Đến'] },
  { name: 'shop', label: ['Shop or terminal', 'Cửa hàng hoặc quầy'] },
  { name: 'min', label: ['Least amount', 'Số tiền từ'] },
  { name: 'max', label: ['Most', 'đến'] },
  { name: 'code', label: ['ftCode, id, trace, bill', 'Mã FT, id, trace, hoá đơn'] },
  {
    name: 'stage',
    label: ['Stage', 'Trạng thái'],
    choices: STAGES.map((value) => ({ value, label: STAGE_WORDS[value] })),
  },
]

/** A payment and the name of its shop. */
export type Named = Row & { storeName: string }

export function columnsIn(lang: Lang): readonly Column<Named>[] {
  return [
    {
      name: 'receivedAt',
      head: ['Received', 'Nhận lúc'],
      cell: ({ payment }) => html`<a href="/payments/${payment.id}">${timeOf(payment.receivedAt, lang)}</a>`,
      file: ({ payment }) => isoInstant(payment.receivedAt),
    },
    {
      name: 'amount',
      head: ['Amount', 'Số tiền'],
      cell: ({ payment }) => money(payment.amount),
      file: ({ payment }) => Number(payment.amount),
      isNumber: true,
    },
    {
      name: 'terminalID',
      head: ['Terminal', 'Quầy'],
      cell: ({ payment: { terminalID } }) =>
        html`<a class="terminal" href="/payments?${new URLSearchParams({ shop: terminalID })}">${terminalID}</a>`,
      file: ({ payment }) => payment.terminalID,
    },
    {
      name: 'storeName',
      head: ['Shop', 'Cửa hàng'],
      cell: ({ storeName }) => storeName,
      file: ({ storeName }) => storeName,
    },
    {
      name: 'stage',
      head: ['Speakers', 'Loa'],
      cell: ({ announcements }) => stagesOf(announcements, lang),
      file: ({ announcements }) => announcements.map(({ stage }) => stage).join(';'),
    },
    {
      name: 'ftCode',
      head: ['ftCode', 'Mã FT'],
      cell: ({ payment }) => html`<code>${payment.ftCode}</code>`,
      file: ({ payment }) => payment.ftCode,
    },
    {
      name: 'traceTransfer',
      head: ['Trace', 'Trace'],
      cell: ({ payment }) => html`<code>${payment.traceTransfer}</code>`,
      file: ({ payment }) => payment.traceTransfer,
    },
    {
      name: 'billNumber',
      head: ['Bill', 'Hoá đơn'],
      cell: ({ payment }) => payment.billNumber,
      file: ({ payment }) => payment.billNumber,
    },
    {
      name: 'outcome',
      head: ['Outcome', 'Kết quả'],
      cell: ({ outcome }) => html`<span class="stage">${outcomeIn(lang)[outcome]}</span>`,
      file: ({ outcome }) => outcome,
    },
    {
      name: 'partner',
      head: ['Partner', 'Đối tác'],
      cell: ({ payment }) => html`<code title="${payment.clientId}">${cut(payment.clientId, 12)}</code>`,
      file: ({ payment }) => payment.clientId,
    },
    {
      name: 'id',
      head: ['Id', 'Id'],
      // Its beginning is the time.
      cell: ({ payment: { id } }) => html`<code title="${id}">…${id.slice(-12)}</code>`,
      file: ({ payment }) => payment.id,
    },
  ]
}

/** The payments with the names of their shops. Most of a page are of a few. */
export async function named({ storage }: OwnVisit, rows: readonly Row[]): Promise<Named[]> {
  const shops = new Map(rows.map(({ storeId, payment }) => [storeId, payment.clientId]))
  const found = await Promise.all([...shops].map(([id, clientId]) => storage.stores.find(clientId, id)))
  const names = new Map(found.map((store) => [store?.id, store?.storeName]))
  return rows.map((row) => ({ ...row, storeName: names.get(row.storeId) ?? '' }))
}

export const paymentList: Route = {
  method: 'GET',
  path: '/payments',
  role: 'viewer',
  async answer(visit): Promise<Answer> {
    const { c, lang } = visit
    const asked = askedFor(c, FIELDS, ['partner', 'before', 'by'])
    const found = await findPayments(visit, asked)
    const rows = await named(visit, found.rows)
    const columns = columnsIn(lang)
    if (wantsFile(c)) return fileOf(c, 'payments', columns, rows)
    const { shops, unreadable, next } = found
    const list = listOf({
      ...{ lang, path: '/payments', asked, fields: FIELDS, columns, rows },
      next,
    })
    return {
      title: words(lang).title,
      ...(unreadable.length > 0 && { status: 400 as const }),
      body: html`${noteOf(lang, unreadable)}${shops.length > 0 ? shopsOf(lang, shops, asked) : ''}
${list}${next && rows.length < ROWS ? html`<p class="none">${words(lang).more}</p>` : ''}`,
    }
  },
}

function noteOf(lang: Lang, unreadable: readonly string[]) {
  if (unreadable.length === 0) return ''
  const labels = FIELDS.filter(({ name }) => unreadable.includes(name)).map(({ label }) =>
    inLang(label, lang),
  )
  return html`<p class="bad">${words(lang).unreadable} ${labels.join(', ')}</p>`
}

/** Shops from which a person chooses one. */
function shopsOf(lang: Lang, shops: readonly StoreReport[], asked: Readonly<Record<string, string>>) {
  return html`<h2>${words(lang).which}</h2>${shopTable(lang, shops, ({ store }) => {
    const query = new URLSearchParams({ ...asked, shop: store.terminalID, partner: store.clientId })
    return `/payments?${query}`
  })}`
}

export function shopTable(
  lang: Lang,
  shops: readonly StoreReport[],
  to: (shop: StoreReport) => string = ({ store: { terminalID: shop, clientId: partner } }) =>
    `/payments?${new URLSearchParams({ shop, partner })}`,
) {
  const columns: readonly Column<StoreReport>[] = [
    {
      name: 'terminalID',
      head: ['Terminal', 'Quầy'],
      cell: (shop) => html`<a href="${to(shop)}">${shop.store.terminalID}</a>`,
      file: ({ store }) => store.terminalID,
    },
    {
      name: 'storeName',
      head: ['Shop', 'Cửa hàng'],
      cell: ({ store }) => store.storeName,
      file: ({ store }) => store.storeName,
    },
    {
      name: 'serials',
      head: ['Speakers', 'Loa'],
      cell: ({ serials }) => html`${serials.map((one) => html`<a href="/devices/${one}">${one}</a> `)}`,
      file: ({ serials }) => serials.join(';'),
    },
    {
      name: 'partner',
      head: ['Partner', 'Đối tác'],
      cell: ({ store }) => html`<code>${store.clientId}</code>`,
      file: ({ store }) => store.clientId,
    },
  ]
  return tableOf({ lang, columns, rows: shops })
}
