import type { PaymentFilter } from '../../payments/ports.ts'
import { html } from '../../site/parts/html.ts'
import { tableOf } from '../parts/list.ts'
import { readAmount } from '../parts/read-text.ts'
import { inSlice } from '../parts/reading.ts'
import type { OwnVisit, Route } from '../parts/visit.ts'
import { wordsOf } from '../parts/words.ts'
import { atOnce, type Row, walk } from './payments/find.ts'
import { columnsIn, named, shopTable } from './payments/list.ts'

const words = wordsOf({
  title: ['Search', 'Tìm kiếm'],
  ask: [
    'Type what you look for into the search field above.',
    'Hãy nhập điều cần tìm vào ô tìm kiếm ở trên.',
  ],
  payments: ['Payments', 'Giao dịch'],
  amount: ['Newest payments of this amount', 'Giao dịch mới nhất có số tiền này'],
  shops: ['Shops', 'Cửa hàng'],
  devices: ['Device', 'Thiết bị'],
  none: ['Nothing found at once.', 'Chưa tìm thấy gì.'],
  older: [
    'Look through older payments for this trace or bill number',
    'Tìm mã trace hoặc số hoá đơn này trong các giao dịch cũ hơn',
  ],
  all: ['All payments of this amount', 'Mọi giao dịch có số tiền này'],
})

/** Shops that are shown, and payments of an amount. */
const [SHOPS, OF_AMOUNT] = [10, 10]

/** What a text may mean, found by indexes. */
async function look(visit: OwnVisit, text: string) {
  const { storage } = visit
  const [device, payments, shops] = await Promise.all([
    findDevice(visit, text),
    atOnce(visit, text),
    inSlice(visit, () => storage.lists.stores.named(text, { limit: SHOPS })),
  ])
  const amount = readAmount(text)
  const of = (filter: PaymentFilter) => walk(visit, filter, undefined, OF_AMOUNT)
  const trace = payments.length > 0 ? [] : await byPlainCode(visit, text)
  const sums = amount === undefined ? undefined : await of({ minAmount: amount, maxAmount: amount })
  return { device, payments: [...payments, ...trace], shops, sums }
}

/** Serials are written in capitals, and people type them as they like. */
async function findDevice({ storage, hubSince }: OwnVisit, text: string) {
  const { find } = storage.lists.devices
  const found = (await find(text, hubSince)) ?? (await find(text.toUpperCase(), hubSince))
  return found && { serial: found.serial }
}

/** Of a trace or of a bill number, what the storage finds at once. */
async function byPlainCode(visit: OwnVisit, code: string): Promise<Row[]> {
  const { page } = visit.storage.lists.payments
  const found = new Map<string, Row>()
  for (const filter of [{ traceTransfer: code }, { billNumber: code }]) {
    const { rows } = await inSlice(visit, () => page(filter, { limit: OF_AMOUNT }))
    for (const row of rows) found.set(row.payment.id, row)
  }
  return [...found.values()]
}

/** What somebody looks for on any page: the one match at once, or else all that it may be. */
export const searchPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/search',
    role: 'viewer',
    async answer(visit) {
      const { c, lang } = visit
      const w = words(lang)
      const text = (c.req.query('q') ?? '').trim().slice(0, 128)
      if (text === '') return { title: w.title, body: html`<p>${w.ask}</p>` }
      const { device, payments, shops, sums } = await look(visit, text)
      const places = [
        ...(device ? [`/devices/${encodeURIComponent(device.serial)}`] : []),
        ...payments.map(({ payment }) => `/payments/${payment.id}`),
        ...shops.map(
          ({ store: { terminalID: shop, clientId: partner } }) =>
            `/payments?${new URLSearchParams({ shop, partner })}`,
        ),
        ...(sums?.rows ?? []).map(({ payment }) => `/payments/${payment.id}`),
      ]
      const [only = '', ...others] = new Set(places)
      // Of an amount there may be more behind those that were looked at.
      if (only !== '' && others.length === 0 && sums?.next === undefined) return c.redirect(only)
      const columns = columnsIn(lang)
      const [ofCode, ofAmount] = await Promise.all([named(visit, payments), named(visit, sums?.rows ?? [])])
      const all = `/payments?${new URLSearchParams({ min: text, max: text })}`
      return {
        title: `${w.title}: ${text}`,
        body: html`${places.length === 0 ? html`<p class="none">${w.none}</p>` : ''}
${device ? html`<h2>${w.devices}</h2><p><a href="/devices/${device.serial}">${device.serial}</a></p>` : ''}
${payments.length > 0 ? html`<h2>${w.payments}</h2>${tableOf({ lang, columns, rows: ofCode })}` : ''}
${shops.length > 0 ? html`<h2>${w.shops}</h2>${shopTable(lang, shops)}` : ''}
${sums && sums.rows.length > 0 ? html`<h2>${w.amount}</h2>${tableOf({ lang, columns, rows: ofAmount })}` : ''}
${sums ? html`<p><a href="${all}">${w.all}</a></p>` : ''}
${payments.length === 0 ? html`<p><a href="/payments?${new URLSearchParams({ code: text })}">${w.older}</a></p>` : ''}`,
      }
    },
  },
]
