import { mayAct } from '../../../operators/session.ts'
import type { Unbalanced } from '../../../reconciliation/balance.ts'
import type { ShownStatement } from '../../../reconciliation/show-statement.ts'
import { toSumsJson } from '../../../reconciliation/to-json.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money, timeOf } from '../../parts/format.ts'
import { type Column, tableOf } from '../../parts/list.ts'
import type { OwnVisit } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'

/** Where rows and payments stand, in the order of the equations. */
export const PLACES_OF_ROWS = [
  ...(['matched', 'differs', 'bank_only', 'hub_only', 'undecided'] as const),
  ...(['repeated', 'reversed', 'other'] as const),
] as const
export type RowsPlace = (typeof PLACES_OF_ROWS)[number]

export const placeIn = wordsOf<RowsPlace, string>({
  matched: ['matched', 'khớp'],
  differs: ['differs', 'lệch số tiền'],
  bank_only: ['bank only', 'chỉ ngân hàng có'],
  hub_only: ['hub only', 'chỉ hub có'],
  undecided: ['undecided', 'chờ quyết định'],
  repeated: ['repeated', 'trùng sao kê trước'],
  reversed: ['reversed', 'đã hoàn lại'],
  other: ['other', 'khác'],
})

export const whyIn = wordsOf<Unbalanced, string>({
  balances_unknown: ['the file has no balances', 'tệp không có số dư'],
  balances_differ: [
    'opening balance, credits and debits do not make the closing balance',
    'số dư đầu kỳ cộng ghi có trừ ghi nợ không bằng số dư cuối kỳ',
  ],
  not_covered: ['no statement has the day', 'chưa có sao kê của ngày này'],
  differs: ['amounts differ', 'có số tiền bị lệch'],
  bank_only: ['the bank has rows that the hub does not know', 'có dòng mà chỉ ngân hàng có'],
  hub_only: ['the hub has payments that the bank does not show', 'có giao dịch mà chỉ hub có'],
  undecided: ['rows are undecided', 'có dòng đang chờ quyết định'],
})

const words = wordsOf({
  balanced: ['BALANCED', 'CÂN ĐỐI'],
  not: ['NOT BALANCED', 'CHƯA CÂN ĐỐI'],
  file: ['File', 'Tệp'],
  hub: ['Hub', 'Hub'],
  money: ['Balance', 'Số dư'],
  opening: ['opening', 'đầu kỳ'],
  credits: ['credits', 'ghi có'],
  debits: ['debits', 'ghi nợ'],
  closing: ['closing', 'cuối kỳ'],
  unknown: ['not in the file', 'tệp không có'],
  total: ['all', 'tất cả'],
  unsigned: ['not signed', 'chưa ký'],
  changed: ['changed since', 'đã thay đổi từ đó'],
})

export const counted = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, '.')

/** Whether a person may import, decide and sign. */
export const mayDecide = ({ who }: Pick<OwnVisit, 'who'>) => mayAct(who.role, 'operator')

export function verdictOf({ unbalanced }: Pick<ShownStatement, 'unbalanced'>, lang: Lang): Html {
  const w = words(lang)
  if (unbalanced.length === 0) return html`<strong class="good">${w.balanced}</strong>`
  return html`<strong class="bad">${w.not}</strong>: ${unbalanced.map((one) => whyIn(lang)[one]).join('; ')}`
}

/** Who signed last, and whether something has come since. */
export function signedOf({ signOffs, isChangedSince }: ShownStatement, lang: Lang): Html | string {
  const w = words(lang)
  const last = signOffs.at(-1)
  if (!last) return w.unsigned
  return html`${last.signedBy} ${timeOf(last.at, lang)}${isChangedSince ? html` <span class="stage warn">${w.changed}</span>` : ''}`
}

type Term = readonly [name: string, count: number | undefined]

/** Both sides, each with its whole, and the balances. */
export function equationsOf(shown: ShownStatement, lang: Lang): Html {
  const w = words(lang)
  const { bank, hub } = toSumsJson(shown.sums)
  const terms = (side: object): Term[] =>
    PLACES_OF_ROWS.flatMap((place): Term[] => {
      const sum: { count: number } | undefined = (side as Partial<Record<RowsPlace, { count: number }>>)[
        place
      ]
      return sum ? [[placeIn(lang)[place], sum.count]] : []
    })
  return html`<div class="panel equations">
${sideOf(w.file, shown.statement.rowCount, terms(shown.sums.bank))}
${sideOf(w.hub, hub.count, terms(shown.sums.hub))}
${balanceLine(shown, bank, lang)}
</div>
${sumsTable(shown, lang)}`
}

function sideOf(name: string, whole: number, terms: readonly Term[]): Html {
  return html`<p><b>${name}</b> <strong>${counted(whole)}</strong> =${terms.map(
    ([term, count], index) =>
      html`${index > 0 ? ' +' : ''} <span>${term} <strong>${counted(count ?? 0)}</strong></span>`,
  )}</p>`
}

function balanceLine(
  { statement: { opening, closing } }: ShownStatement,
  { credit, debit }: { credit: string; debit: string },
  lang: Lang,
): Html {
  const w = words(lang)
  if (opening === undefined || closing === undefined)
    return html`<p><b>${w.money}</b> <span>${w.unknown}</span>, <span>${w.credits} <strong>${money(BigInt(credit))}</strong></span>, <span>${w.debits} <strong>${money(BigInt(debit))}</strong></span></p>`
  const isEqual = BigInt(opening) + BigInt(credit) - BigInt(debit) === BigInt(closing)
  return html`<p><b>${w.money}</b> <span>${w.opening} <strong>${money(opening)}</strong></span> + <span>${w.credits} <strong>${money(BigInt(credit))}</strong></span> − <span>${w.debits} <strong>${money(BigInt(debit))}</strong></span> ${isEqual ? '=' : html`<strong class="bad">≠</strong>`} <span>${w.closing} <strong>${money(closing)}</strong></span></p>`
}

interface SumRow {
  place: RowsPlace | undefined
  bank: { count: number; credit: string; debit: string } | undefined
  hub: { count: number; amount: string } | undefined
}

/** The same to the đồng: a row for each place, and one for all. */
function sumsTable({ sums, statement }: ShownStatement, lang: Lang): Html {
  const { bank, hub } = toSumsJson(sums)
  const sides = { bank: sums.bank, hub: sums.hub } as {
    bank: Partial<Record<RowsPlace, SumRow['bank']>>
    hub: Partial<Record<RowsPlace, SumRow['hub']>>
  }
  const rows = PLACES_OF_ROWS.map(
    (place): SumRow => ({ place, bank: sides.bank[place], hub: sides.hub[place] }),
  )
  const sum = (name: string, text: (row: SumRow) => string | undefined, head: Column<SumRow>['head']) => ({
    ...{ name, head, file: () => '', isNumber: true as const },
    cell: (row: SumRow) => text(row) ?? '',
  })
  const dong = (digits: string | undefined) => (digits === undefined ? undefined : money(BigInt(digits)))
  const count = (side: { count: number } | undefined) => side && counted(side.count)
  const columns: readonly Column<SumRow>[] = [
    {
      name: 'place',
      head: ['Where', 'Vị trí'],
      cell: ({ place }) =>
        place === undefined
          ? html`<strong>${words(lang).total}</strong>`
          : html`<a href="/day/statements/${statement.id}?bucket=${place}#rows">${placeIn(lang)[place]}</a>`,
      file: () => '',
    },
    sum('rows', ({ bank }) => count(bank), ['File rows', 'Dòng của tệp']),
    sum('credit', ({ bank }) => dong(bank?.credit), ['Credits', 'Ghi có']),
    sum('debit', ({ bank }) => dong(bank?.debit), ['Debits', 'Ghi nợ']),
    sum('payments', ({ hub }) => count(hub), ['Hub payments', 'Giao dịch hub']),
    sum('amount', ({ hub }) => dong(hub?.amount), ['Sum', 'Tổng tiền']),
  ]
  return tableOf({ lang, columns, rows: [...rows, { place: undefined, bank, hub }] })
}
