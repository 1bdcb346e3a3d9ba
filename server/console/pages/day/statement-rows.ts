import { zonedTime } from '../../../platform/time/zoned-time.ts'
import { type FlatLine, flatLine } from '../../../reconciliation/files.ts'
import type { KnownPayment, Statement } from '../../../reconciliation/ports.ts'
import type { StatementLine } from '../../../reconciliation/show-statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money } from '../../parts/format.ts'
import type { Column } from '../../parts/list.ts'
import { inSlice } from '../../parts/reading.ts'
import type { OwnVisit } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { placeIn } from './statement-words.ts'

const words = wordsOf({
  hidden: ['hidden', 'đã ẩn'],
  credit: ['credit', 'ghi có'],
  debit: ['debit', 'ghi nợ'],
  row: ['row', 'dòng'],
  accept: ['Accept', 'Chấp nhận'],
  decide: ['Decide…', 'Quyết định…'],
  none: ['It has no payment', 'Không có giao dịch nào'],
  other: ['Id of another payment', 'Id của giao dịch khác'],
  give: ['It is this one', 'Là giao dịch này'],
})
const rules = wordsOf<string, string>({
  reference: ['reference', 'tham chiếu'],
  bill: ['bill', 'hoá đơn'],
  decided: ['decided', 'đã quyết'],
})

/** Characters of a payment's id that tell it from others of a page. */
const END = 12

/** A row with the payment that is proposed for it. */
export interface ShownRow extends FlatLine {
  proposed: KnownPayment | undefined
}

/** Reads what is proposed for the rows of a page. */
export async function shownRows(
  visit: OwnVisit,
  { clientId, account, zone }: Statement,
  lines: readonly StatementLine[],
): Promise<ShownRow[]> {
  const { statements } = visit.storage
  const time = zonedTime(zone)
  const rows: ShownRow[] = []
  for (const line of lines) {
    const row = flatLine(line, time)
    const { proposedPaymentId: id } = row
    const proposed =
      id === undefined ? undefined : await inSlice(visit, () => statements.payment(clientId, account, id))
    rows.push({ ...row, proposed })
  }
  return rows
}

/** Credits that no other statement has can be decided. */
const isOpen = ({ n, direction, bucket }: FlatLine) =>
  n !== undefined &&
  direction === 'credit' &&
  ['matched', 'differs', 'bank_only', 'undecided'].includes(bucket)

/** The columns of rows. The text of a row may name its payer: neither the page nor its file has it. */
export function rowColumns({ lang }: OwnVisit, { zone }: Statement): readonly Column<ShownRow>[] {
  const w = words(lang)
  const time = zonedTime(zone)
  const shown = (at: number) =>
    html`<time>${time(at)
      .replace('T', ' ')
      .replace(/\.\d{3}/, '')}</time>`
  const paymentLink = (payment: string) =>
    html`<a href="/payments/${payment}" title="${payment}"><code>…${payment.slice(-END)}</code></a>`
  return [
    {
      name: 'n',
      head: ['Row', 'Dòng'],
      cell: ({ n }) => String(n ?? ''),
      file: ({ n }) => n ?? '',
      isNumber: true,
    },
    {
      name: 'at',
      head: ['Time', 'Thời gian'],
      cell: ({ at, date }) => (at === undefined ? html`<time>${date}</time>` : shown(at)),
      file: ({ at, date }) => (at === undefined ? date : time(at)),
    },
    {
      name: 'amount',
      head: ['Amount', 'Số tiền'],
      cell: ({ amount }) => money(amount),
      file: ({ amount }) => amount,
      isNumber: true,
    },
    {
      name: 'direction',
      head: ['Direction', 'Chiều'],
      cell: ({ direction }) => html`<span class="stage">${w[direction]}</span>`,
      file: ({ direction }) => direction,
    },
    {
      name: 'reference',
      head: ['Reference', 'Mã tham chiếu'],
      cell: ({ references }) => (references.length === 0 ? '' : html`<code>${references.join(' ')}</code>`),
      file: ({ references }) => references.join(';'),
    },
    {
      name: 'text',
      head: ['Text', 'Nội dung'],
      cell: ({ text }) => (text === '' ? '' : html`<span class="none">${w.hidden}</span>`),
      file: ({ text }) => (text === '' ? '' : 'hidden'),
    },
    {
      name: 'bucket',
      head: ['Where', 'Vị trí'],
      cell: ({ bucket }) => html`<span class="stage">${placeIn(lang)[bucket]}</span>`,
      file: ({ bucket }) => bucket,
    },
    {
      name: 'rule',
      head: ['By', 'Theo'],
      cell: ({ rule }) =>
        rule === undefined ? '' : html`<span class="stage">${rules(lang)[rule] ?? ''}</span>`,
      file: ({ rule = '' }) => rule,
    },
    {
      name: 'paymentId',
      head: ['Payment', 'Giao dịch'],
      cell: ({ paymentId }) => (paymentId === undefined ? '' : paymentLink(paymentId)),
      file: ({ paymentId = '' }) => paymentId,
    },
    {
      name: 'proposedPaymentId',
      head: ['Proposed', 'Đề xuất'],
      cell: ({ proposedPaymentId: id, proposed }) =>
        id === undefined
          ? ''
          : html`<div>${proposed ? html`<strong>${money(proposed.amount)}</strong> ${proposed.terminalID} ${shown(proposed.paidAt)} ` : ''}${paymentLink(id)}</div>`,
      file: ({ proposedPaymentId = '' }) => proposedPaymentId,
    },
    {
      name: 'otherRow',
      head: ['Other row', 'Dòng khác'],
      cell: ({ otherRow }) => otherRowOf(otherRow, w.row),
      file: ({ otherRow = '' }) => otherRow,
    },
    {
      name: 'decidedBy',
      head: ['Decided by', 'Người quyết định'],
      cell: ({ decidedBy, decidedAt }) =>
        decidedBy === undefined || decidedAt === undefined
          ? ''
          : html`<div>${decidedBy} ${shown(decidedAt)}</div>`,
      file: ({ decidedBy = '' }) => decidedBy,
    },
  ]
}

/** What an operator can do with a row. `place`: fields that lead back to the same rows. */
export function decideColumn(
  { lang }: OwnVisit,
  { id }: Statement,
  place: Readonly<Record<string, string>>,
): Column<ShownRow> {
  return {
    name: 'decide',
    head: ['Decide', 'Quyết định'],
    cell: (row) => (isOpen(row) ? formsOf(lang, id, row, place) : ''),
    file: () => '',
  }
}

function otherRowOf(otherRow: string | undefined, word: string): Html | string {
  if (otherRow === undefined) return ''
  const [statement = '', n = ''] = otherRow.split('/')
  return html`<a href="/day/statements/${statement}">${word} ${n}</a>`
}

/** Enter in the field must not accept what is proposed: each choice is a form of its own. */
function formsOf(
  lang: Lang,
  id: string,
  { n, proposedPaymentId }: ShownRow,
  place: Readonly<Record<string, string>>,
): Html {
  const w = words(lang)
  const form = (fields: Html) =>
    html`<form method="post" action="/day/statements/${id}/decide"><input type="hidden" name="n" value="${n}">${Object.entries(
      place,
    ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${fields}</form>`
  return html`<div class="decides">${
    proposedPaymentId === undefined
      ? ''
      : form(
          html`<input type="hidden" name="payment" value="${proposedPaymentId}"><button class="main" name="as" value="payment">${w.accept}</button>`,
        )
  }<details><summary>${w.decide}</summary>
${form(html`<input name="payment" required maxlength="64" size="12" aria-label="${w.other}" placeholder="${w.other}"> <button name="as" value="payment">${w.give}</button>`)}
${form(html`<button name="as" value="none">${w.none}</button>`)}</details></div>`
}
