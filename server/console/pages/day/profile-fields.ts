import { ENCODINGS } from '../../../reconciliation/formats/decode.ts'
import { type BankProfile, profileSchema } from '../../../reconciliation/formats/profile.ts'
import { LOCAL_ZONE } from '../../../reconciliation/model/statement.ts'
import type { Both } from '../../parts/words.ts'

/** What a choice of a form is called, and what the profile has for it. */
export interface Choice {
  value: string
  is: string
  label: Both
}

/** A field of the form. Its name is that of the profile: `columns.date`. */
export interface ProfileField {
  name: string
  label: Both
  note?: Both
  choices?: readonly Choice[]
  /** A column is a name or a number. */
  kind?: 'column' | 'number'
}

const choice = (value: string, is: string, en: string, vi: string): Choice => ({ value, is, label: [en, vi] })
const DOT = choice('dot', '.', 'dot  .', 'dấu chấm  .')
const COMMA = choice('comma', ',', 'comma  ,', 'dấu phẩy  ,')
const SEMICOLON = choice('semicolon', ';', 'semicolon  ;', 'dấu chấm phẩy  ;')

const FILE: readonly ProfileField[] = [
  {
    name: 'encoding',
    label: ['Encoding', 'Bảng mã'],
    choices: ENCODINGS.map((one) => choice(one, one, one, one)),
  },
  {
    name: 'separator',
    label: ['Separator', 'Dấu phân cách cột'],
    choices: [
      COMMA,
      SEMICOLON,
      choice('tab', '\t', 'tab', 'tab'),
      choice('bar', '|', 'bar  |', 'gạch đứng  |'),
    ],
  },
  {
    name: 'headerRow',
    label: ['Line with the names of the columns', 'Dòng có tên các cột'],
    note: ['0: there is none', '0: không có'],
    kind: 'number',
  },
  {
    name: 'footer',
    label: ['Text with which the line behind the rows begins', 'Chữ bắt đầu dòng ngay sau các giao dịch'],
    note: ['empty: rows go on to the end', 'để trống: đọc đến cuối tệp'],
  },
]

const column = (name: string, en: string, vi: string, note?: Both): ProfileField => ({
  ...{ name: `columns.${name}`, label: [en, vi], kind: 'column' },
  ...(note && { note }),
})
const COLUMNS: readonly ProfileField[] = [
  column('date', 'Date', 'Ngày'),
  column('time', 'Time, when it has a column of its own', 'Giờ, nếu có cột riêng'),
  column('amount', 'Amount', 'Số tiền'),
  column('credit', 'Credit', 'Ghi có'),
  column('debit', 'Debit', 'Ghi nợ'),
  column('direction', 'Direction', 'Chiều'),
  column('balance', 'Balance', 'Số dư'),
  column('reference', 'Reference', 'Mã tham chiếu'),
  column('text', 'Text', 'Nội dung'),
]

const VALUES: readonly ProfileField[] = [
  {
    name: 'sign',
    label: ['Credit or debit', 'Ghi có hay ghi nợ'],
    choices: [
      choice('plus', 'plus', 'an amount without a minus is a credit', 'số tiền không có dấu trừ là ghi có'),
      choice('minus', 'minus', 'an amount without a minus is a debit', 'số tiền không có dấu trừ là ghi nợ'),
      choice('columns', 'columns', 'a column for each', 'mỗi chiều một cột'),
      choice('direction', 'direction', 'the column Direction says it', 'cột Chiều cho biết'),
    ],
  },
  {
    name: 'debitMark',
    label: ['What the column Direction has for a debit', 'Cột Chiều ghi gì khi là ghi nợ'],
  },
  { name: 'decimal', label: ['Decimal mark', 'Dấu thập phân'], choices: [DOT, COMMA] },
  {
    name: 'thousand',
    label: ['Mark of thousands', 'Dấu phân cách hàng nghìn'],
    choices: [
      choice('none', '', 'none', 'không có'),
      ...[DOT, COMMA],
      choice('space', ' ', 'space', 'dấu cách'),
    ],
  },
  {
    name: 'dateFormat',
    label: ['Format of the date', 'Dạng ngày'],
    note: ['such as dd/mm/yyyy or dd-mm-yyyy HH:MM:SS', 'như dd/mm/yyyy hoặc dd-mm-yyyy HH:MM:SS'],
  },
  { name: 'zone', label: ['Time zone', 'Múi giờ'] },
  {
    name: 'reference.prefix',
    label: ['A code in the text begins with', 'Mã trong nội dung bắt đầu bằng'],
    note: ['empty: codes are not looked for in the text', 'để trống: không tìm mã trong nội dung'],
  },
  {
    name: 'reference.length',
    label: ['and has so many letters and digits', 'và có số chữ và chữ số là'],
    kind: 'number',
  },
]

/** The fields of a profile, in groups as the form has them. */
export const GROUPS: readonly { legend: Both; note?: Both; fields: readonly ProfileField[] }[] = [
  { legend: ['File', 'Tệp'], fields: FILE },
  {
    legend: ['Columns', 'Các cột'],
    note: [
      'The name, or the number from 1. A name of digits stands in quotes: "2026".',
      'Tên cột, hoặc số thứ tự từ 1. Tên toàn chữ số thì đặt trong ngoặc kép: "2026".',
    ],
    fields: COLUMNS,
  },
  { legend: ['Values', 'Giá trị'], fields: VALUES },
]
const FIELDS = GROUPS.flatMap(({ fields }) => fields)

/** What a new form has. */
export const NEW: Readonly<Record<string, string>> = {
  ...{ encoding: 'utf-8', separator: 'comma', headerRow: '1', sign: 'plus', decimal: 'dot' },
  ...{ thousand: 'none', dateFormat: 'dd/mm/yyyy', zone: LOCAL_ZONE },
}

/** A problem of a field. Without a label, it is of the whole profile. */
export interface FieldProblem {
  label: Both | undefined
  message: string
}

/** Reads the texts of a form. Those of absent fields are left out. */
export function readFields(
  texts: Readonly<Record<string, string>>,
): { profile: BankProfile } | { problems: FieldProblem[] } {
  const { data, error } = profileSchema.safeParse(rawOf(texts))
  if (data) return { profile: data }
  return {
    problems: error.issues.map(({ path, message }) => {
      const name = path.join('.')
      const group = name === 'columns' ? GROUPS[1]?.legend : undefined
      return { label: FIELDS.find((field) => field.name === name)?.label ?? group, message }
    }),
  }
}

function rawOf(texts: Readonly<Record<string, string>>): object {
  const raw: Record<string, unknown> = { columns: {} }
  for (const field of FIELDS) {
    const text = texts[field.name]?.trim() ?? ''
    if (text === '') continue
    const [first = '', second] = field.name.split('.')
    if (second === undefined) raw[first] = rawValue(field, text)
    else raw[first] = { ...(raw[first] as object | undefined), [second]: rawValue(field, text) }
  }
  return raw
}

function rawValue({ choices, kind }: ProfileField, text: string): string | number {
  if (choices) return choices.find(({ value }) => value === text)?.is ?? text
  if (kind !== undefined && /^\d{1,9}$/.test(text)) return Number(text)
  return kind === 'column' ? (/^"(.*)"$/.exec(text)?.[1] ?? text) : text
}

/** The texts of the form that shows a profile. */
export function textsOf(profile: BankProfile): Record<string, string> {
  // Its fields are those of the form.
  const raw = profile as unknown as Record<string, Record<string, unknown> | string | number | undefined>
  return Object.fromEntries(
    FIELDS.flatMap((field): [string, string][] => {
      const [first = '', second] = field.name.split('.')
      const group = raw[first]
      const value = second === undefined ? group : typeof group === 'object' ? group[second] : undefined
      return typeof value === 'string' || typeof value === 'number'
        ? [[field.name, textOf(field, value)]]
        : []
    }),
  )
}

function textOf({ choices, kind }: ProfileField, value: string | number): string {
  if (choices) return choices.find(({ is }) => is === value)?.value ?? String(value)
  const isQuoted = kind === 'column' && typeof value === 'string' && /^(\d+|".*")$/.test(value.trim())
  return isQuoted ? `"${value}"` : String(value)
}
