import { zonedTime } from '../../../platform/time/zoned-time.ts'
import type { TriedRow } from '../../../reconciliation/formats/csv.ts'
import type { ProfilePreview } from '../../../reconciliation/formats/preview.ts'
import {
  type BankProfile,
  isProfileName,
  type NamedProfile,
} from '../../../reconciliation/formats/profile.ts'
import type { Line } from '../../../reconciliation/model/statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { money } from '../../parts/format.ts'
import { type Column, tableOf } from '../../parts/list.ts'
import { readUpload, type Upload } from '../../parts/upload.ts'
import type { ChangeVisit, Page } from '../../parts/visit.ts'
import { type Both, inLang, type Lang, wordsOf } from '../../parts/words.ts'
import { readFields } from './profile-fields.ts'
import { type FilledProfile, MOST_PASTED, problemsOf, profileForm } from './profile-form.ts'

/** Characters of a text that are shown. */
const MOST_TEXT = 120
/** It wins over the encoding of a profile: a browser sends pasted lines as UTF-8. */
const UTF8_MARK = '\ufeff'

const words = wordsOf({
  title: ['Preview of the profile', 'Xem trước mẫu'],
  nothing: ['Nothing is saved yet.', 'Chưa lưu gì.'],
  rows: ['rows', 'dòng'],
  opening: ['opening', 'số dư đầu'],
  closing: ['closing', 'số dư cuối'],
  unknown: ['unknown', 'không rõ'],
  unreadable: ['The sample can not be read.', 'Không đọc được tệp thử.'],
  line: ['Line', 'Dòng'],
  wholeFile: ['The file', 'Cả tệp'],
  replaces: ['Saving replaces the saved profile of this name:', 'Lưu sẽ thay mẫu đã lưu cùng tên:'],
  save: ['Save the profile', 'Lưu mẫu'],
  change: ['Change it', 'Sửa mẫu'],
  credit: ['credit', 'ghi có'],
  debit: ['debit', 'ghi nợ'],
})

const BAD_NAME: Both = [
  'It has 1 to 32 letters, digits, dots, hyphens and underscores, and is not camt.053.',
  'Tên có 1 đến 32 chữ không dấu, chữ số, dấu chấm, gạch nối, gạch dưới, và không phải camt.053.',
]
const NO_SAMPLE: Both = ['Choose a file, or paste its first lines.', 'Hãy chọn tệp, hoặc dán những dòng đầu.']
const LONG_SAMPLE: Both = ['What is pasted is too long: choose the file.', 'Phần dán quá dài: hãy chọn tệp.']

/** Shows what a profile makes of a sample, and offers to save it. Stores nothing. */
export async function previewProfile(visit: ChangeVisit): Promise<Page> {
  const { c, lang, verbs } = visit
  const upload = await readUpload(c)
  const { name = '', pasted: given = '', ...texts } = upload.fields
  const pasted = given.length > MOST_PASTED ? '' : given
  const filled: FilledProfile = { name: name.trim(), texts, pasted }
  const sample = sampleOf(upload, pasted)
  const read = readFields(texts)
  const problems = [
    ...(isProfileName(filled.name) ? [] : [BAD_NAME]),
    ...(sample ? [] : [given === pasted ? NO_SAMPLE : LONG_SAMPLE]),
  ]
  const title = words(lang).title
  if (!('profile' in read) || !sample || problems.length > 0) {
    return {
      ...{ title, status: 400 },
      body: html`${problems.map((problem) => html`<p class="notice bad" role="alert">${inLang(problem, lang)}</p>`)}
${'problems' in read ? problemsOf(read.problems, lang) : ''}
${profileForm(lang, filled)}`,
    }
  }
  const { profile } = read
  const preview = await verbs.previewProfile(profile, sample)
  const replaced = (await verbs.listProfiles()).find((one) => one.name === filled.name)
  return {
    title,
    body: html`${wholeOf(preview, lang)}
${preview.rows.length === 0 ? '' : tableOf({ lang, columns: columnsOf(profile, preview.rows, lang), rows: preview.rows })}
${'head' in preview.whole ? saveForm(lang, filled.name, profile, replaced) : ''}
<h2>${words(lang).change}</h2>
${profileForm(lang, filled)}`,
  }
}

function sampleOf({ file }: Upload, pasted: string): Uint8Array | undefined {
  if (file && file.bytes.length > 0) return file.bytes
  return pasted.trim() === '' ? undefined : Buffer.from(`${UTF8_MARK}${pasted}`)
}

function wholeOf({ whole }: ProfilePreview, lang: Lang): Html {
  const w = words(lang)
  if ('head' in whole) {
    const { rowCount, from, to, opening, closing } = whole.head
    const balance = (amount: number | undefined) => (amount === undefined ? w.unknown : money(amount))
    return html`<p class="notice" role="status">${w.nothing} ${rowCount} ${w.rows}, ${from === to ? from : `${from} – ${to}`}; ${w.opening} ${balance(opening)}, ${w.closing} ${balance(closing)}.</p>`
  }
  const where = whole.line > 0 ? `${w.line} ${whole.line}` : w.wholeFile
  return html`<p class="notice bad" role="alert">${w.nothing} ${w.unreadable} ${where}: <span lang="en">${whole.reason}</span></p>`
}

function saveForm(lang: Lang, name: string, profile: BankProfile, replaced: NamedProfile | undefined): Html {
  const w = words(lang)
  return html`<form method="post" action="/day/profile"><input type="hidden" name="name" value="${name}"><input type="hidden" name="profile" value="${JSON.stringify(profile)}">
${replaced ? html`<p>${w.replaces} <code>${name}</code></p>` : ''}
<p><button class="main">${w.save}</button></p></form>`
}

function columnsOf(
  { zone }: BankProfile,
  rows: readonly TriedRow[],
  lang: Lang,
): readonly Column<TriedRow>[] {
  const w = words(lang)
  const time = zonedTime(zone)
  const of = (name: string, head: Both, cell: (line: Line) => Html | string): Column<TriedRow> => ({
    ...{ name, head, file: () => '' },
    cell: (row) => ('line' in row ? cell(row.line) : ''),
  })
  const problem: Column<TriedRow> = {
    ...{ name: 'problem', head: ['Can not be read', 'Không đọc được'], file: () => '' },
    cell: (row) => ('line' in row ? '' : html`<span class="bad" lang="en">${row.reason}</span>`),
  }
  return [
    {
      ...{ name: 'n', head: ['Line', 'Dòng'], file: () => '', isNumber: true },
      cell: ({ fileLine }) => String(fileLine),
    },
    ...(rows.every((row) => 'line' in row) ? [] : [problem]),
    of('date', ['Date', 'Ngày'], ({ date }) => html`<time>${date}</time>`),
    of('time', ['Time', 'Giờ'], ({ at }) => (at === undefined ? '' : time(at).slice(11, 19))),
    of(
      'direction',
      ['Direction', 'Chiều'],
      ({ direction }) => html`<span class="stage">${w[direction]}</span>`,
    ),
    { ...of('amount', ['Amount', 'Số tiền'], ({ amount }) => money(amount)), isNumber: true },
    of('reference', ['Reference', 'Mã tham chiếu'], ({ references }) =>
      references.length === 0 ? '' : html`<code>${references.join(' ')}</code>`,
    ),
    of('text', ['Text', 'Nội dung'], ({ text }) =>
      text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text,
    ),
  ]
}
