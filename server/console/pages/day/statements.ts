import { BUCKETS } from '../../../reconciliation/model/statement.ts'
import type { ShownStatement } from '../../../reconciliation/show-statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { type Column, fileOf, tableOf } from '../../parts/list.ts'
import { readRows } from '../../parts/reading.ts'
import type { OwnVisit } from '../../parts/visit.ts'
import { LANGS, type Lang, wordsOf } from '../../parts/words.ts'
import { type AskedDay, askedDay, hiddenAccount } from './day.ts'
import { counted, mayDecide, placeIn, signedOf, verdictOf } from './statement-words.ts'

/** Statements that are shown at once. */
const MOST = 20

const words = wordsOf({
  title: ['Statements of the bank', 'Sao kê ngân hàng'],
  none: ['No statement has this day.', 'Chưa có sao kê nào của ngày này.'],
  choose: [
    'Choose a partner to see the statements of its accounts.',
    'Chọn một đối tác để xem sao kê các tài khoản của đối tác.',
  ],
  next: ['More statements of this day', 'Các sao kê khác của ngày này'],
  csv: ['CSV of these statements', 'Tải CSV các sao kê này'],
  import: ['Import a statement…', 'Nhập sao kê…'],
})

/** A page of the statements of a partner that have the day: the last begun first, then the newest. */
export async function statementsOfDay(visit: OwnVisit, asked: AskedDay): Promise<Html> {
  const { lang } = visit
  const w = words(lang)
  const { clientId, rows, next } = await readStatements(visit, asked)
  const to = new URLSearchParams(clientId === undefined ? {} : { partner: clientId })
  const head = html`<h2>${w.title}</h2>
${mayDecide(visit) ? html`<p><a href="/day/import?${to}">${w.import}</a></p>` : ''}`
  if (clientId === undefined) return html`${head}<p class="none">${w.choose}</p>`
  const { date, zone, account, statements } = asked
  const here = { date, zone, partner: clientId, ...(account && { account }) }
  const more =
    next && html`<a href="/day?${new URLSearchParams({ ...here, statements: next })}">${w.next}</a>`
  if (rows.length === 0) return html`${head}<p class="none">${more ?? w.none}</p>`
  const file = new URLSearchParams({ ...here, ...(statements && { statements }) })
  return html`${head}
<div class="rows">${tableOf({ lang, columns: columnsIn(lang), rows })}</div>
<p>${more ? html`${more} ` : ''}<a href="/day/statements?${file}">${w.csv}</a></p>`
}

/** The same rows as a file. */
export async function statementsFile(visit: OwnVisit): Promise<Response> {
  const asked = askedDay(visit)
  const { rows } = await readStatements(visit, asked)
  const days: readonly Column<ShownStatement>[] = (['from', 'to'] as const).map((name) => ({
    ...{ name, head: ['', ''], cell: () => '' },
    file: ({ statement }) => statement[name],
  }))
  return fileOf(visit.c, `statements-${asked.date}`, [...columnsIn(visit.lang), ...days], rows)
}

async function readStatements(visit: OwnVisit, asked: AskedDay) {
  const { storage, verbs } = visit
  const partners = await storage.partners.list()
  const only = partners.length === 1 ? partners[0]?.clientId : undefined
  const clientId = partners.find((one) => one.clientId === (asked.partner ?? only))?.clientId
  const rows: ShownStatement[] = []
  if (clientId === undefined) return { clientId, rows, next: undefined }
  const { date, account, statements: after } = asked
  const day = { date, accountEnd: account?.toUpperCase() }
  const { rows: found, next } = await readRows(
    visit,
    (page) => storage.statements.ofDay(clientId, day, page),
    { limit: MOST, after },
  )
  for (const { id } of found) rows.push(await verbs.showStatement(clientId, id))
  return { clientId, rows, next }
}

function columnsIn(lang: Lang): readonly Column<ShownStatement>[] {
  const count = (name: (typeof BUCKETS)[number] | 'hub_only'): Column<ShownStatement> => {
    const of = ({ sums }: ShownStatement) =>
      name === 'hub_only' ? sums.hub.hub_only.count : sums.bank[name].count
    const [en, vi] = LANGS.map((one) => placeIn(one)[name])
    return {
      ...{ name, head: [en ?? '', vi ?? ''], isNumber: true },
      cell: (row) => counted(of(row)),
      file: of,
    }
  }
  return [
    {
      name: 'id',
      head: ['Statement', 'Sao kê'],
      cell: ({ statement: { id, from, to } }) =>
        html`<a href="/day/statements/${id}"><span class="serial">${from}</span>${from === to ? '' : html` – <span class="serial">${to}</span>`}</a>`,
      file: ({ statement }) => statement.id,
    },
    {
      name: 'account',
      head: ['Account', 'Tài khoản'],
      cell: ({ statement }) => html`<code>${hiddenAccount(statement.account)}</code>`,
      file: ({ statement }) => hiddenAccount(statement.account),
    },
    ...BUCKETS.map(count),
    count('hub_only'),
    {
      name: 'balanced',
      head: ['Balanced', 'Cân đối'],
      cell: (row) => html`<div>${verdictOf(row, lang)}</div>`,
      file: ({ unbalanced }) => unbalanced.join(' '),
    },
    {
      name: 'signed',
      head: ['Signed off', 'Ký xác nhận'],
      cell: (row) => html`<div>${signedOf(row, lang)}</div>`,
      file: ({ signOffs }) => signOffs.at(-1)?.signedBy ?? '',
    },
  ]
}
