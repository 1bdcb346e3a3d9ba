import { withOffset } from '../../../server/platform/time/zoned-time.ts'
import { profileSchema } from '../../../server/reconciliation/formats/profile.ts'

/** A movement of an account, before a bank writes it down. */
export interface Movement {
  at: number
  amount: number
  direction: 'credit' | 'debit'
  /** Empty: the bank gives none. */
  reference: string
  text: string
  /** The bank takes an earlier movement back. */
  isReversal?: boolean
  /** Movements of one batch follow each other. */
  batch?: string
}

/** A synthetic bank: how it writes a statement of movements, which are by rising time. */
export interface Bank {
  name: string
  /** Undefined: camt.053. */
  profile: ReturnType<typeof profileSchema.parse> | undefined
  /** Whether its rows have a time of day. */
  isTimed: boolean
  write(movements: readonly Movement[], opening: number): Buffer
}

const LOCAL_MINUTES = 7 * 60
const local = (at: number) => withOffset(at, LOCAL_MINUTES)
const dateOf = (at: number) => local(at).slice(0, 10)
const timeOf = (at: number) => local(at).slice(11, 19)
const dotted = (amount: number) => String(amount).replace(/\B(?=(\d{3})+$)/g, '.')
const signed = ({ amount, direction }: Movement) => (direction === 'credit' ? amount : -amount)
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const slashed = (at: number) => dateOf(at).split('-').reverse().join('/')

/** The balance behind each movement. */
export function balances(movements: readonly Movement[], opening: number): number[] {
  let balance = opening
  return movements.map((one) => (balance += signed(one)))
}

/** Dates as 20/11/2026 without a time, amounts as 1.234.567, a heading and a footer, and the newest row first. */
export const LOTUS: Bank = {
  name: 'lotus',
  isTimed: false,
  profile: profileSchema.parse({
    separator: ';',
    headerRow: 4,
    footer: 'Tổng cộng',
    columns: {
      date: 'Ngày GD',
      amount: 'Số tiền',
      balance: 'Số dư',
      reference: 'Số tham chiếu',
      text: 'Nội dung',
    },
    thousand: '.',
    decimal: ',',
    dateFormat: 'dd/mm/yyyy',
  }),
  write(movements, opening) {
    const after = balances(movements, opening)
    const rows = movements.map((one, index) =>
      [
        slashed(one.at),
        one.reference,
        `${one.direction === 'debit' ? '-' : ''}${dotted(one.amount)},00`,
        dotted(after[index] ?? 0),
        quoted(one.text),
      ].join(';'),
    )
    const head = [
      'NGÂN HÀNG HOA SEN',
      'SAO KÊ TÀI KHOẢN;;;;',
      '',
      'Ngày GD;Số tham chiếu;Số tiền;Số dư;Nội dung',
    ]
    return Buffer.from(`\ufeff${[...head, ...rows.toReversed(), 'Tổng cộng;;1;;'].join('\r\n')}\r\n`)
  },
}

/** UTF-16 with tabs, a column for each direction, and the reference within the text alone. */
export const BAMBOO: Bank = {
  name: 'bamboo',
  isTimed: true,
  profile: profileSchema.parse({
    encoding: 'utf-16le',
    separator: '\t',
    columns: { date: 'Date', credit: 'Credit', debit: 'Debit', balance: 'Balance', text: 'Description' },
    thousand: ',',
    decimal: '.',
    dateFormat: 'dd-mm-yyyy HH:MM:SS',
    sign: 'columns',
    reference: { prefix: 'FT', length: 12 },
  }),
  write(movements, opening) {
    const after = balances(movements, opening)
    const grouped = (amount: number) => `${dotted(amount).replaceAll('.', ',')}.00`
    const rows = movements.map((one, index) =>
      [
        `${dateOf(one.at).split('-').reverse().join('-')} ${timeOf(one.at)}`,
        one.direction === 'debit' ? grouped(one.amount) : '',
        one.direction === 'credit' ? grouped(one.amount) : '',
        grouped(after[index] ?? 0),
        quoted(`${one.text} ${one.reference}`.trim()),
      ].join('\t'),
    )
    const text = `${['Date\tDebit\tCredit\tBalance\tDescription', ...rows].join('\n')}\n`
    return Buffer.from(`\ufeff${text}`, 'utf16le')
  },
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
const tag = (name: string, content: string) => `<${name}>${content}</${name}>`
const money = (amount: number) => `<Amt Ccy="VND">${amount}.00</Amt>`
const mark = (direction: string) => tag('CdtDbtInd', direction === 'credit' ? 'CRDT' : 'DBIT')
const balance = (code: string, amount: number) =>
  tag(
    'Bal',
    tag('Tp', tag('CdOrPrtry', tag('Cd', code))) +
      money(Math.abs(amount)) +
      mark(amount < 0 ? 'debit' : 'credit'),
  )

/** A camt.053 file around entries. */
export function camt(entries: string, { version = '08', account = '', head = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id>
<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${head}
${entries}
</Stmt></BkToCstmrStmt></Document>`
}

/** camt.053.001.08, with batches and reversals. */
export const cedar = (account: string): Bank => ({
  name: 'cedar',
  isTimed: true,
  profile: undefined,
  write(movements, opening) {
    const batches = new Map<string, Movement[]>()
    for (const [index, one] of movements.entries()) {
      const key = one.batch ?? `alone ${index}`
      batches.set(key, [...(batches.get(key) ?? []), one])
    }
    const entries = [...batches.values()].map(entryOf)
    const closing = balances(movements, opening).at(-1) ?? opening
    const head = balance('OPBD', opening) + balance('CLBD', closing)
    const pending = `<Ntry>${money(1)}${mark('credit')}<Sts><Cd>PDNG</Cd></Sts></Ntry>`
    return Buffer.from(camt(`${entries.join('\n')}\n${pending}`, { account, head }))
  },
})

function entryOf(movements: readonly Movement[]): string {
  const [first] = movements
  if (!first) return ''
  const sum = movements.reduce((total, { amount }) => total + amount, 0)
  const details = movements.map((one) =>
    tag(
      'TxDtls',
      tag(
        'Refs',
        `<EndToEndId>NOTPROVIDED</EndToEndId>${one.reference ? tag('TxId', escaped(one.reference)) : ''}`,
      ) +
        money(one.amount) +
        mark(one.direction) +
        tag('RmtInf', tag('Ustrd', escaped(one.text))),
    ),
  )
  return tag(
    'Ntry',
    money(sum) +
      mark(first.direction) +
      (first.isReversal ? '<RvslInd>true</RvslInd>' : '') +
      '<Sts><Cd>BOOK</Cd></Sts>' +
      tag('BookgDt', tag('DtTm', local(first.at).slice(0, 19))) +
      tag('NtryDtls', details.join('')),
  )
}
