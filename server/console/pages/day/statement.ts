import { BUCKETS } from '../../../reconciliation/model/statement.ts'
import type { ShownStatement } from '../../../reconciliation/show-statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { timeOf } from '../../parts/format.ts'
import { askedFor, type Field, fileOf, listOf, ROWS, wantsFile } from '../../parts/list.ts'
import { factList, notice } from '../../parts/pieces.ts'
import type { OwnVisit, Page } from '../../parts/visit.ts'
import { type Both, type Lang, wordsOf } from '../../parts/words.ts'
import { hiddenAccount } from './day.ts'
import { decideColumn, rowColumns, shownRows } from './statement-rows.ts'
import {
  equationsOf,
  mayDecide,
  PLACES_OF_ROWS,
  placeIn,
  type RowsPlace,
  signedOf,
  verdictOf,
} from './statement-words.ts'

const words = wordsOf({
  title: ['Statement', 'Sao kê'],
  rows: ['Rows', 'Các dòng'],
  day: ['To the day', 'Về trang ngày'],
  sign: ['Sign off…', 'Ký xác nhận…'],
  signOffs: ['Sign-offs', 'Các lần ký xác nhận'],
  imported: ['The statement is imported.', 'Đã nhập sao kê.'],
  signed: ['The statement is signed off.', 'Đã ký xác nhận sao kê.'],
  decided: ['Decided. The row is now:', 'Đã quyết định. Dòng này giờ thuộc:'],
  row: ['Row', 'Dòng'],
  isBalanced: ['balanced', 'cân đối'],
  isNot: ['not balanced', 'chưa cân đối'],
})
const facts = wordsOf({
  partner: ['Partner', 'Đối tác'],
  account: ['Account', 'Tài khoản'],
  days: ['Days', 'Các ngày'],
  format: ['Format', 'Định dạng'],
  imported: ['Imported', 'Nhập lúc'],
  signed: ['Signed off', 'Ký xác nhận'],
  file: ['SHA-256 of the file', 'SHA-256 của tệp'],
})

const both = (place: RowsPlace): Both => [placeIn('en')[place], placeIn('vi')[place]]
const FIELDS: readonly Field[] = [
  {
    name: 'bucket',
    label: ['Where', 'Vị trí'],
    choices: PLACES_OF_ROWS.map((value) => ({ value, label: both(value) })),
  },
]

/** The statement of the address. Throws STATEMENT_NOT_FOUND. */
export const shownStatement = ({ c, verbs }: OwnVisit) =>
  verbs.showStatement(undefined, c.req.param('id') ?? '')

/** Both sides of a statement, whether they are balanced, and its rows. */
export async function showStatement(visit: OwnVisit): Promise<Page | Response> {
  const { c, lang, verbs, storage } = visit
  const w = words(lang)
  const shown = await shownStatement(visit)
  const { statement } = shown
  const { id, from, zone, clientId } = statement
  const asked = askedFor(c, FIELDS, ['cursor'])
  const bucket = PLACES_OF_ROWS.find((one) => one === asked.bucket)
  const { cursor } = asked
  const { lines, next } = await verbs.statementRows(undefined, id, bucket, { limit: ROWS, cursor })
  const rows = await shownRows(visit, statement, lines)
  const columns = rowColumns(visit, statement)
  if (wantsFile(c)) return fileOf(c, `statement-${id}`, columns, rows)
  const partner = await storage.partners.find(clientId)
  const isOperator = mayDecide(visit)
  const list = {
    ...{ lang, path: `/day/statements/${id}`, asked, fields: FIELDS, rows },
    // What can be decided stands beside what is proposed.
    columns: isOperator
      ? [...columns.slice(0, -2), decideColumn(visit, statement, asked), ...columns.slice(-2)]
      : columns,
    next: next === undefined ? undefined : { cursor: next },
  }
  const day = new URLSearchParams({ date: from, zone, partner: clientId })
  return {
    title: `${w.title} ${from} ${hiddenAccount(statement.account)}`,
    body: html`<p class="steps"><a href="/day?${day}">${w.day}</a></p>
${doneOf(visit)}
<p class="notice ${shown.unbalanced.length === 0 ? '' : 'bad'}">${verdictOf(shown, lang)}</p>
${equationsOf(shown, lang)}
${isOperator ? html`<p><a href="/day/statements/${id}/sign">${w.sign}</a></p>` : ''}
${factsOf(shown, partner?.name ?? '', lang)}
${signOffsOf(shown, lang)}
<section class="rows">
<h2 id="rows">${w.rows}</h2>
${listOf(list)}
</section>`,
  }
}

/** What the change before this page has done. */
function doneOf({ c, lang }: OwnVisit): Html | string {
  const w = words(lang)
  const { done, n = '', to } = c.req.query()
  const bucket = BUCKETS.find((one) => one === to)
  if (done === 'imported') return notice(w.imported)
  if (done === 'signed') return notice(w.signed)
  if (done === 'decided' && bucket && /^\d{1,6}$/.test(n))
    return notice(html`${w.row} ${n}: ${w.decided} <strong>${placeIn(lang)[bucket]}</strong>`)
  return ''
}

function factsOf(shown: ShownStatement, partner: string, lang: Lang): Html {
  const f = facts(lang)
  const { statement } = shown
  const { clientId, from, to, zone, format, profile, importedAt, sha256, account } = statement
  return factList([
    [f.partner, html`${partner} <code>${clientId}</code>`],
    [f.account, html`<code>${hiddenAccount(account)}</code>`],
    [f.days, `${from === to ? from : `${from} – ${to}`} ${zone}`],
    [f.format, profile === undefined ? format : `${format}, ${profile}`],
    [f.imported, timeOf(importedAt, lang)],
    [f.signed, signedOf(shown, lang)],
    [f.file, html`<code class="details">${sha256}</code>`],
  ])
}

function signOffsOf({ signOffs }: ShownStatement, lang: Lang): Html | string {
  const w = words(lang)
  if (signOffs.length === 0) return ''
  const lines = signOffs.toReversed().map(({ at, signedBy, note, snapshot }) => {
    // An act has stored it.
    const { unbalanced } = JSON.parse(snapshot) as { unbalanced: string[] }
    const isBalanced = unbalanced.length === 0
    return html`<li class="${isBalanced ? 'good' : 'bad'}">${timeOf(at, lang)} <strong>${signedBy}</strong> ${isBalanced ? w.isBalanced : w.isNot} ${note}</li>`
  })
  return html`<h2>${w.signOffs}</h2><ul class="timeline">${lines}</ul>`
}
