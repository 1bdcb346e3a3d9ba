import { addSums, NO_PAYMENTS, RESULTS, type ResultSum } from '../../../payments/day-sum.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money } from '../../parts/format.ts'
import { type Column, type Field, fileOf, listOf, wantsFile } from '../../parts/list.ts'
import { factList } from '../../parts/pieces.ts'
import type { OwnVisit, Page, Route } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { type AskedDay, askedDay, type PartnerDay, readDay, type ShopDay, type ShownDay } from './day.ts'
import { statementsOfDay } from './statements.ts'

const DAY_MS = 24 * 60 * 60_000

const words = wordsOf({
  title: ['Day', 'Ngày'],
  previous: ['Previous day', 'Ngày trước'],
  next: ['Next day', 'Ngày sau'],
  today: ['Today', 'Hôm nay'],
  shops: ['By shop and account', 'Theo cửa hàng và tài khoản'],
  partners: ['By partner: choose one to see its shops', 'Theo đối tác: chọn một để xem các cửa hàng'],
  made: [
    'The sums of older payments are still being made. Load this page again in a minute.',
    'Đang tính tổng các giao dịch cũ. Hãy tải lại trang này sau một phút.',
  ],
  basis: [
    'By the time at which the hub received each payment.',
    'Theo thời điểm hub nhận được từng giao dịch.',
  ],
  balanced: ['The shops below add up to the total.', 'Các cửa hàng dưới đây cộng lại đúng bằng tổng.'],
  part: ['Of the total, the shops below have', 'Trong tổng số, các cửa hàng dưới đây có'],
})

const sums = wordsOf({
  count: ['Payments', 'Giao dịch'],
  amount: ['Sum', 'Tổng tiền'],
  played: ['Played', 'Đã đọc'],
  missed: ['Missed', 'Bị lỡ'],
  failed: ['Failed', 'Lỗi'],
  suppressed: ['Speaker locked', 'Loa bị khoá'],
  open: ['On their way', 'Đang gửi'],
  delivered: ['Delivered, sound not proven', 'Đã tới loa, không rõ đã phát'],
  none: ['No speaker', 'Không có loa'],
})
type SumName =
  | 'count'
  | 'amount'
  | 'played'
  | 'missed'
  | 'failed'
  | 'suppressed'
  | 'open'
  | 'delivered'
  | 'none'
const NAMES: readonly SumName[] = [
  'count',
  'amount',
  'played',
  'missed',
  'failed',
  'suppressed',
  'open',
  'delivered',
  'none',
]

function numberOf(sum: ResultSum, name: SumName): number | bigint {
  if (name !== 'none') return sum[name]
  return sum.count - RESULTS.reduce((all, result) => all + sum[result], 0)
}

const shownNumber = (name: SumName, value: number | bigint) =>
  name === 'amount' ? money(value) : String(value).replace(/\B(?=(\d{3})+$)/g, '.')

/** What else of the day is shown behind its sums, such as the statements of banks. */
export type DayPart = (visit: OwnVisit, asked: AskedDay, day: ShownDay) => Promise<Html> | Html
const PARTS: readonly DayPart[] = [statementsOfDay]

function sumColumns<Row extends ResultSum>(): Column<Row>[] {
  const [en, vi] = [sums('en'), sums('vi')]
  return NAMES.map((name) => ({
    name,
    head: [en[name], vi[name]],
    cell: (row) => shownNumber(name, numberOf(row, name)),
    // Digits: it may be above 2^53.
    file: (row) => String(numberOf(row, name)),
    isNumber: true as const,
  }))
}

function shopColumns({ date, zone }: AskedDay): readonly Column<ShopDay>[] {
  return [
    {
      name: 'storeName',
      head: ['Shop', 'Cửa hàng'],
      cell: ({ storeName }) => storeName,
      file: ({ storeName }) => storeName,
    },
    {
      name: 'terminalID',
      head: ['Terminal', 'Quầy'],
      cell: ({ terminalID: shop, clientId: partner }) =>
        html`<a href="/payments?${new URLSearchParams({ shop, partner })}">${shop}</a>`,
      file: ({ terminalID }) => terminalID,
    },
    {
      name: 'account',
      head: ['Account', 'Tài khoản'],
      cell: ({ bank, account }) => html`${bank} <code>${account}</code>`,
      file: ({ bank, account }) => `${bank} ${account}`,
    },
    ...sumColumns<ShopDay>(),
    { name: 'date', head: ['Date', 'Ngày'], cell: () => date, file: () => date },
    { name: 'zone', head: ['Zone', 'Múi giờ'], cell: () => zone, file: () => zone },
  ]
}

function partnerColumns({ date, zone }: AskedDay): readonly Column<PartnerDay>[] {
  return [
    {
      name: 'partner',
      head: ['Partner', 'Đối tác'],
      cell: ({ clientId: partner, name }) =>
        html`<a href="/day?${new URLSearchParams({ date, zone, partner })}">${name}</a> <small><code>${partner}</code></small>`,
      file: ({ clientId }) => clientId,
    },
    ...sumColumns<PartnerDay>(),
    { name: 'date', head: ['Date', 'Ngày'], cell: () => date, file: () => date },
    { name: 'zone', head: ['Zone', 'Múi giờ'], cell: () => zone, file: () => zone },
  ]
}

async function fieldsOf({ storage }: OwnVisit): Promise<readonly Field[]> {
  const partners = await storage.partners.list()
  return [
    { name: 'date', label: ['Date', 'Ngày'], type: 'date' },
    { name: 'zone', label: ['Time zone', 'Múi giờ'] },
    {
      name: 'partner',
      label: ['Partner', 'Đối tác'],
      choices: partners.map(({ clientId: value, name }) => ({ value, label: [name, name] })),
    },
    { name: 'account', label: ['End of the account', 'Số cuối tài khoản'] },
  ]
}

async function show(visit: OwnVisit): Promise<Page | Response> {
  const { c, lang } = visit
  const w = words(lang)
  const asked = askedDay(visit)
  const { date, zone, partner, account } = asked
  const query = { date, zone, ...(partner && { partner }), ...(account && { account }) }
  const day = await readDay(visit, asked)
  const title = `${w.title} ${date}`
  const steps = html`<p class="steps">${[-1, 1].map((by) => {
    const to = new URLSearchParams({ ...query, date: shifted(date, by) })
    return html`<a rel="${by < 0 ? 'prev' : 'next'}" href="/day?${to}">${by < 0 ? w.previous : w.next}</a> `
  })}<span class="none">${zone}. ${w.basis}</span></p>`
  if (!day) return { title, status: 503, body: html`${steps}<p class="warn">${w.made}</p>` }
  const here = { ...query, ...(asked.before !== undefined && { before: String(asked.before) }) }
  const list = { lang, path: '/day', asked: here, fields: await fieldsOf(visit) }
  const isByPartner = day.partners.length > 0
  if (wantsFile(c)) {
    const name = `day-${date}-${zone.replaceAll('/', '-')}`
    return isByPartner
      ? fileOf(c, name, partnerColumns(asked), day.partners)
      : fileOf(c, name, shopColumns(asked), day.shops)
  }
  const table = isByPartner
    ? listOf({ ...list, columns: partnerColumns(asked).slice(0, -2), rows: day.partners, next: undefined })
    : listOf({
        ...{ ...list, columns: shopColumns(asked).slice(0, -2), rows: day.shops },
        next: day.next === undefined ? undefined : { before: String(day.next) },
      })
  return {
    title,
    body: html`${steps}
${totalOf(day.total, lang)}
${await Promise.all(PARTS.map((part) => part(visit, asked, day)))}
<h2>${isByPartner ? w.partners : w.shops}</h2>
${isByPartner ? '' : balanceOf(day, lang)}
${table}`,
  }
}

function totalOf(total: ResultSum, lang: Lang): Html {
  return factList(
    NAMES.map((name) => [
      sums(lang)[name],
      html`<strong>${shownNumber(name, numberOf(total, name))}</strong>`,
    ]),
  )
}

/** Whether the shops that are shown are the whole day. */
function balanceOf({ shops, total }: ShownDay, lang: Lang): Html {
  const w = words(lang)
  const shown = shops.reduce<ResultSum>(addSums, NO_PAYMENTS)
  if (shown.count === total.count && shown.amount === total.amount)
    return html`<p class="good">${w.balanced}</p>`
  return html`<p>${w.part} <strong>${shownNumber('count', shown.count)}</strong>, <strong>${money(shown.amount)}</strong></p>`
}

function shifted(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The payments of one day by shop and account. */
export const dayPage: readonly Route[] = [{ method: 'GET', path: '/day', role: 'viewer', answer: show }]
