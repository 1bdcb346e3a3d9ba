import type { Context } from 'hono'
import { csvResponse } from '../../http/response/csv.ts'
import type { HttpEnv } from '../../http/response/env.ts'
import type { CsvCell } from '../../platform/lists/csv.ts'
import { type Html, html } from '../../site/parts/html.ts'
import { type Both, inLang, type Lang, wordsOf } from './words.ts'

const words = wordsOf({
  filter: ['Show', 'Xem'],
  csv: ['CSV of these rows', 'Tải CSV các dòng này'],
  next: ['Older ones', 'Cũ hơn'],
  none: ['Nothing found.', 'Không tìm thấy.'],
  all: ['all', 'tất cả'],
})

/** A column of a list: what a cell shows, and what it is in a file. */
export interface Column<Row> {
  /** Its name in a file. */
  name: string
  head: Both
  cell(row: Row): Html | string
  file(row: Row): CsvCell
  /** Numbers stand at the right. */
  isNumber?: true
}

/** A field of a filter. */
export interface Field {
  name: string
  label: Both
  /** Its choices, in addition to all. Without them, it is a text. */
  choices?: readonly { value: string; label: Both }[]
  type?: 'text' | 'number' | 'date' | 'datetime-local'
}

/** Rows that are shown at once, and that a file has. */
export const ROWS = 50

interface List<Row> {
  lang: Lang
  /** Of the page. */
  path: string
  /** What the form asks for, by the names of its fields. Empty ones are left out. */
  asked: Readonly<Record<string, string>>
  fields: readonly Field[]
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** What the address of the next page has in addition. Undefined at the end. */
  next: Readonly<Record<string, string>> | undefined
  /** The id by which a script finds a row again. */
  idOf?: ((row: Row) => string) | undefined
}

/** The values of a form's fields in the query, without empty ones. */
export function askedFor(
  c: Context<HttpEnv>,
  fields: readonly Pick<Field, 'name'>[],
  more: readonly string[] = [],
) {
  const named = [...fields.map(({ name }) => name), ...more].flatMap((name) => {
    const value = c.req.query(name)?.trim()
    return value ? [[name, value]] : []
  })
  return Object.fromEntries(named) as Record<string, string>
}

/** Whether the address asks for the file of a list. */
export const wantsFile = (c: Context<HttpEnv>): boolean => c.req.query('as') === 'csv'

/** A form that filters, and the table of its rows. It works without scripts, and its address can be shared. */
export function listOf<Row>({ lang, path, asked, fields, columns, rows, next, idOf }: List<Row>): Html {
  const w = words(lang)
  const to = (more: Readonly<Record<string, string>>) =>
    `${path}?${new URLSearchParams({ ...asked, ...more })}`
  return html`<form class="filter" action="${path}">
${fields.map((field) => fieldOf(field, asked[field.name] ?? '', lang))}
<button>${w.filter}</button>
<a class="file" href="${to({ as: 'csv' })}">${w.csv}</a>
</form>
${tableOf({ lang, columns, rows, idOf })}
${next ? html`<p><a rel="next" href="${to(next)}">${w.next}</a></p>` : ''}`
}

export function tableOf<Row>({
  lang,
  columns,
  rows,
  idOf,
}: Pick<List<Row>, 'lang' | 'columns' | 'rows' | 'idOf'>): Html {
  if (rows.length === 0) return html`<p class="none">${words(lang).none}</p>`
  return html`<div class="scrolls" tabindex="0"><table>
<thead><tr>${columns.map((one) => html`<th scope="col"${one.isNumber ? html` class="number"` : ''}>${inLang(one.head, lang)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => rowOf(row, columns, lang, idOf))}</tbody>
</table></div>`
}

function rowOf<Row>(
  row: Row,
  columns: readonly Column<Row>[],
  lang: Lang,
  idOf?: (row: Row) => string,
): Html {
  return html`<tr${idOf ? html` id="${idOf(row)}"` : ''}>${columns.map(
    (one) =>
      html`<td${one.isNumber ? html` class="number"` : ''} data-head="${inLang(one.head, lang)}">${one.cell(row)}</td>`,
  )}</tr>`
}

function fieldOf({ name, label, choices, type = 'text' }: Field, value: string, lang: Lang): Html {
  const control = choices
    ? html`<select name="${name}"><option value="">${words(lang).all}</option>${choices.map(
        (one) =>
          html`<option value="${one.value}"${one.value === value ? html` selected` : ''}>${inLang(one.label, lang)}</option>`,
      )}</select>`
    : html`<input name="${name}" type="${type}" value="${value}" maxlength="128">`
  return html`<label>${inLang(label, lang)}${control}</label>`
}

/** The same rows as a file, with a byte order mark. */
export function fileOf<Row>(
  c: Context<HttpEnv>,
  name: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
) {
  async function* pages() {
    yield rows
  }
  const cells = Object.fromEntries(columns.map((one) => [one.name, one.file]))
  return csvResponse(c, { name: `${name}.csv`, columns: cells, pages: pages(), bom: true }, () => false)
}
