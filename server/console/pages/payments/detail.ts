import { STAGES } from '../../../announcements/announcement.ts'
import { mayAct } from '../../../operators/session.ts'
import type { PaymentView, Unsealed } from '../../../payments/ports.ts'
import { HubError } from '../../../platform/errors.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money, span, timeOf } from '../../parts/format.ts'
import { type Column, tableOf } from '../../parts/list.ts'
import { type Fact, factList } from '../../parts/pieces.ts'
import { soundOf } from '../../parts/proof.ts'
import { stageIn } from '../../parts/stages.ts'
import type { OwnVisit, Page, Route } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { stateIn } from '../webhooks/words.ts'
import { type Told, toldOf } from './events.ts'
import { findById, type Row } from './find.ts'
import { outcomeIn } from './words.ts'

const words = wordsOf({
  title: ['Payment', 'Giao dịch'],
  facts: ['Facts', 'Thông tin'],
  announcements: ['What the speakers did', 'Loa đã làm gì'],
  noSpeaker: ['The shop had no speaker.', 'Cửa hàng không có loa.'],
  told: ['What the partner was told', 'Đối tác đã được báo gì'],
  notKept: [
    'No event of this payment is kept any more, or none was numbered yet.',
    'Không còn giữ sự kiện nào của giao dịch này, hoặc sự kiện chưa được đánh số.',
  ],
  hidden: ['hidden', 'đã ẩn'],
  unseal: ['Unseal', 'Mở niêm phong'],
  unsealNote: [
    'Shows the payer’s notice and the account once. Your name is written to the audit.',
    'Hiện nội dung chuyển khoản và tài khoản một lần. Tên của bạn được ghi vào nhật ký.',
  ],
  unsealed: [
    'Unsealed for you, and written to the audit. This page is not stored.',
    'Đã mở cho bạn và ghi vào nhật ký. Trang này không được lưu lại.',
  ],
  back: ['Back to the payment, hidden again', 'Về giao dịch, ẩn lại'],
  none: ['none', 'không có'],
  noWebhook: ['no webhook for it', 'không có webhook nhận'],
  waits: ['waits', 'đang chờ'],
})

const facts = wordsOf({
  amount: ['Amount', 'Số tiền'],
  outcome: ['Outcome', 'Kết quả'],
  partner: ['Partner', 'Đối tác'],
  shop: ['Shop', 'Cửa hàng'],
  ftCode: ['ftCode', 'Mã FT'],
  trace: ['Trace', 'Trace'],
  bill: ['Bill number', 'Số hoá đơn'],
  bank: ['Bank', 'Ngân hàng'],
  paid: ['Paid', 'Thanh toán lúc'],
  received: ['Received', 'Nhận lúc'],
  id: ['Id', 'Id'],
  notice: ['Payer’s notice', 'Nội dung chuyển khoản'],
  account: ['Account', 'Tài khoản'],
  holder: ['Account holder', 'Chủ tài khoản'],
})

async function found(visit: OwnVisit): Promise<Row> {
  const row = await findById(visit, visit.c.req.param('id') ?? '')
  if (!row) throw new HubError('TRANSACTION_NOT_FOUND')
  return row
}

export const paymentDetail: readonly Route[] = [
  {
    method: 'GET',
    path: '/payments/:id',
    role: 'viewer',
    answer: async (visit) => detail(visit, await found(visit), undefined),
  },
  {
    method: 'POST',
    path: '/payments/:id/unseal',
    role: 'admin',
    async answer(visit) {
      const row = await found(visit)
      const unsealed = await visit.storage.payments.unseal(
        visit.by,
        { id: row.payment.id, cursor: row.cursor },
        visit.now,
      )
      if (!unsealed) throw new HubError('TRANSACTION_NOT_FOUND')
      visit.c.header('Cache-Control', 'no-store')
      return detail(visit, row, unsealed)
    },
  },
]

async function detail(visit: OwnVisit, row: Row, unsealed: Unsealed | undefined): Promise<Page> {
  const { lang, storage } = visit
  const w = words(lang)
  const { payment, storeId, announcements } = row
  const [partner, store, told] = await Promise.all([
    storage.partners.find(payment.clientId),
    storage.stores.find(payment.clientId, storeId),
    toldOf(visit, row),
  ])
  return {
    title: `${w.title} ${money(payment.amount)}`,
    body: html`${unsealed ? html`<p class="warn">${w.unsealed} <a href="/payments/${payment.id}">${w.back}</a></p>` : ''}
<h2>${w.facts}</h2>
${factsOf(visit, row, { partner: partner?.name ?? '', shop: store?.storeName ?? '' }, unsealed)}
<h2>${w.announcements}</h2>
${announcements.length === 0 ? html`<p class="none">${w.noSpeaker}</p>` : trailsOf(row, lang)}
<h2>${w.told}</h2>
${told.length === 0 ? html`<p class="none">${w.notKept}</p>` : toldTable(told, lang)}`,
  }
}

function factsOf(
  { lang, who }: OwnVisit,
  { payment, outcome }: PaymentView,
  names: { partner: string; shop: string },
  unsealed: Unsealed | undefined,
): Html {
  const [f, w] = [facts(lang), words(lang)]
  const code = (text: string) => (text === '' ? w.none : html`<code>${text}</code>`)
  const hidden = html`<span class="none">${w.hidden}</span>`
  const account = unsealed && `${unsealed.bankName} ${unsealed.bankCode} ${unsealed.bankAccountNumber}`
  const told: readonly Fact[] = [
    [f.amount, html`<strong>${money(payment.amount)}</strong>`],
    [f.outcome, outcomeIn(lang)[outcome]],
    [f.received, timeOf(payment.receivedAt, lang)],
    [f.paid, timeOf(payment.paidAt, lang)],
    [
      f.shop,
      html`${names.shop} <a href="/payments?${new URLSearchParams({ shop: payment.terminalID, partner: payment.clientId })}">${payment.terminalID}</a>`,
    ],
    [f.partner, html`${names.partner} <code>${payment.clientId}</code>`],
    [f.ftCode, code(payment.ftCode)],
    [f.trace, code(payment.traceTransfer)],
    [f.bill, code(payment.billNumber)],
    [f.bank, code(payment.bankCode)],
    [f.id, code(payment.id)],
    [f.notice, unsealed ? unsealed.notice || w.none : hidden],
    [f.account, account ?? hidden],
    [f.holder, unsealed ? unsealed.bankAccountName || w.none : hidden],
  ]
  const mayUnseal = !unsealed && mayAct(who.role, 'admin')
  return html`${factList(told)}
${mayUnseal ? html`<form method="post" action="/payments/${payment.id}/unseal" class="unseal"><button>${w.unseal}</button> <span class="none">${w.unsealNote}</span></form>` : ''}`
}

type Trail = PaymentView['announcements'][number]

function trailsOf({ announcements, payment }: PaymentView, lang: Lang): Html {
  const stage = (name: (typeof STAGES)[number]): Column<Trail> => ({
    name,
    head: [stageIn('en')[name], stageIn('vi')[name]],
    cell: ({ times }) => {
      const at = times[name]
      if (at === undefined) return ''
      return html`${timeOf(at, lang)} <small>+${span(at - payment.receivedAt, lang)}</small>`
    },
    file: ({ times }) => times[name] ?? '',
  })
  // The final stages that nobody has reached would be empty columns.
  const shown = STAGES.filter(
    (name) =>
      ['queued', 'sent', 'received', 'played'].includes(name) ||
      announcements.some(({ times }) => times[name] !== undefined),
  )
  const columns: readonly Column<Trail>[] = [
    {
      name: 'serial',
      head: ['Speaker', 'Loa'],
      cell: ({ serial }) => html`<a href="/devices/${serial}">${serial}</a>`,
      file: ({ serial }) => serial,
    },
    {
      name: 'n',
      head: ['Command', 'Lệnh số'],
      cell: ({ n }) => String(n ?? ''),
      file: ({ n }) => n ?? '',
      isNumber: true,
    },
    {
      name: 'stage',
      head: ['Stage', 'Trạng thái'],
      cell: (one) =>
        html`${stageIn(lang)[one.stage]}${one.reason === undefined ? '' : html` <code>${one.reason}</code>`}${soundOf(one, lang)}`,
      file: (one) => one.stage,
    },
    ...shown.map(stage),
  ]
  return tableOf({ lang, columns, rows: announcements })
}

function toldTable(told: readonly Told[], lang: Lang): Html {
  const w = words(lang)
  const columns: readonly Column<Told>[] = [
    { name: 'at', head: ['When', 'Khi nào'], cell: ({ at }) => timeOf(at, lang), file: ({ at }) => at },
    {
      name: 'type',
      head: ['Event', 'Sự kiện'],
      cell: ({ type }) => html`<code>${type}</code>`,
      file: ({ type }) => type,
    },
    { name: 'id', head: ['Id', 'Id'], cell: ({ id }) => html`<code>${id}</code>`, file: ({ id }) => id },
    {
      name: 'deliveries',
      head: ['Webhooks', 'Webhook'],
      cell: ({ deliveries }) => {
        if (deliveries.length === 0) return html`<span class="none">${w.noWebhook}</span>`
        return html`${deliveries.map(
          ({ webhook, delivery }) =>
            html`<a href="/webhooks/${webhook.id}">${webhook.id}</a> ${delivery ? stateIn(lang)[delivery.state] : w.waits} `,
        )}`
      },
      file: ({ deliveries }) => deliveries.length,
    },
  ]
  return tableOf({ lang, columns, rows: told })
}
