import { CsvError, parse } from 'csv-parse/sync'
import { type Line, MOST_RECORD, MOST_ROWS, type StatementFile, Unreadable } from '../model/statement.ts'
import { amountReader } from './amounts.ts'
import { dateReader, instantsIn, readTime } from './dates.ts'
import { decode } from './decode.ts'
import type { BankProfile } from './profile.ts'

/** A record with the line of the file on which it ends. */
interface Read {
  record: string[]
  info: { lines: number }
}

/** Reads a file of a bank by its profile. Throws Unreadable with the line and the reason. */
export function readCsv(bytes: Uint8Array, profile: BankProfile): StatementFile {
  const { used, readLine } = rowsOf(bytes, profile)
  if (used.length > MOST_ROWS)
    throw new Unreadable(used[MOST_ROWS]?.info.lines ?? 0, `it has more than ${MOST_ROWS} rows`)
  const read = used.map((one, index) => readLine(one, index + 1))
  const lines = read.map(({ line }) => line)
  const dates = lines.map(({ date }) => date).toSorted()
  return {
    format: 'csv',
    account: undefined,
    zone: profile.zone,
    from: dates[0] ?? '',
    to: dates.at(-1) ?? '',
    ...balancesOf(read),
    lines,
  }
}

/** A row of a file, or why it can't be read. `fileLine`: of the file, from 1. */
export type TriedRow = { fileLine: number } & ({ line: Line } | { reason: string })

/** The first rows of a file, each on its own. Throws Unreadable when the file has no rows by this profile. */
export function tryCsv(bytes: Uint8Array, profile: BankProfile, most: number): TriedRow[] {
  const { used, readLine } = rowsOf(bytes, profile, most + 1)
  return used.slice(0, most).map((one, index) => {
    const fileLine = one.info.lines
    try {
      return { fileLine, line: readLine(one, index + 1).line }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      return { fileLine, reason: error.message }
    }
  })
}

/** The records of a file that are rows, and what reads one. `most`: records, with that of the header. */
function rowsOf(bytes: Uint8Array, profile: BankProfile, most?: number) {
  const [header, ...records] = recordsOf(decode(bytes, profile.encoding), profile, most)
  const readLine = lineReader(profile, header)
  const rows = profile.headerRow === 0 && header ? [header, ...records] : records
  const end = rows.findIndex(({ record }) => isFooter(profile, record))
  const used = (end < 0 ? rows : rows.slice(0, end)).filter(({ record }) =>
    record.some((cell) => cell.trim() !== ''),
  )
  if (used.length === 0) throw new Unreadable(0, 'it has no rows')
  return { used, readLine }
}

function isFooter({ footer }: BankProfile, record: readonly string[]): boolean {
  const first = record.find((cell) => cell.trim() !== '') ?? ''
  return footer !== undefined && first.trim().startsWith(footer)
}

function recordsOf(text: string, { separator, headerRow }: BankProfile, most?: number): Read[] {
  try {
    return parse(text, {
      ...{ delimiter: separator, bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
      from_line: Math.max(1, headerRow),
      max_record_size: MOST_RECORD,
      ...(most !== undefined && { to: most }),
    }) as unknown as Read[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines } = error as { lines?: unknown }
    throw new Unreadable(typeof lines === 'number' ? lines : 0, csvReason(error))
  }
}

function csvReason({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `the record is longer than ${MOST_RECORD} characters`
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is not closed'
  // The message of the library quotes the file: it may have personal data.
  return code === 'CSV_INVALID_CLOSING_QUOTE' || message.includes('quote')
    ? 'a quote stands in the middle of a cell'
    : 'it is not CSV'
}

interface ReadLine {
  line: Line
  fileLine: number
  balance: number | undefined
}

function lineReader(profile: BankProfile, header: Read | undefined) {
  const { columns, zone, dateFormat } = profile
  const place = placesOf(profile, header)
  const at = {
    date: place(columns.date),
    text: place(columns.text),
    time: place(columns.time),
    balance: place(columns.balance),
    reference: place(columns.reference),
  }
  const readDate = dateReader(dateFormat)
  const toInstant = instantsIn(zone)
  const readAmount = amountReader(profile)
  const readSigned = signedReader(profile, place, readAmount)
  const references = referenceFinder(profile)

  return ({ record, info: { lines: fileLine } }: Read, n: number): ReadLine => {
    const fail = (reason: string) => new Unreadable(fileLine, reason)
    const cell = (index: number | undefined) => (index === undefined ? '' : (record[index] ?? '').trim())
    const local = readDate?.(cell(at.date))
    if (!local) throw fail(`the date is not ${dateFormat}`)
    const seconds = at.time === undefined ? local.seconds : readTime(cell(at.time))
    if (at.time !== undefined && seconds === undefined && cell(at.time) !== '')
      throw fail('the time is not HH:MM:SS')
    const signed = readSigned(cell, fail)
    const balance = at.balance === undefined ? undefined : readAmount(cell(at.balance))
    if (at.balance !== undefined && balance === undefined)
      throw fail('the balance is not an amount of whole đồng')
    const text = cell(at.text)
    const line: Line = {
      n,
      date: local.date,
      at: toInstant({ date: local.date, seconds }),
      amount: Math.abs(signed),
      direction: signed < 0 ? 'debit' : 'credit',
      references: references(cell(at.reference), text),
      text,
      ...{ isReversal: false, isOutside: false, isBatch: false },
    }
    return { line, fileLine, balance }
  }
}

type Place = (column: string | number | undefined) => number | undefined

/** Finds columns by the names of the header. */
function placesOf({ headerRow }: BankProfile, header: Read | undefined): Place {
  const names = (header?.record ?? []).map((name) => name.trim().normalize('NFC'))
  return (column) => {
    if (typeof column !== 'string') return column === undefined ? undefined : column - 1
    const found = headerRow === 0 ? -1 : names.indexOf(column.trim().normalize('NFC'))
    if (found < 0) throw new Unreadable(headerRow, `there is no column "${column}"`)
    if (names.lastIndexOf(names[found] ?? '') !== found)
      throw new Unreadable(headerRow, `two columns are named "${column}": give the number`)
    return found
  }
}

type Cell = (index: number | undefined) => string

/** Reads the amount of a row; a debit is negative. */
function signedReader(
  { columns, sign, debitMark }: BankProfile,
  place: Place,
  readAmount: (text: string) => number | undefined,
) {
  const [amount, credit, debit] = [place(columns.amount), place(columns.credit), place(columns.debit)]
  const direction = place(columns.direction)
  const read = (text: string, fail: (reason: string) => Unreadable) => {
    const value = readAmount(text)
    if (value === undefined)
      throw fail('the amount is not one of whole đồng, or has other marks than the profile')
    return value
  }
  return (cell: Cell, fail: (reason: string) => Unreadable): number => {
    if (sign === 'columns') {
      const [plus, minus] = [credit, debit].map((index) =>
        cell(index) === '' ? 0 : Math.abs(read(cell(index), fail)),
      )
      if (plus && minus) throw fail('it has a credit and a debit')
      if (cell(credit) === '' && cell(debit) === '') throw fail('it has neither a credit nor a debit')
      return (plus ?? 0) - (minus ?? 0)
    }
    const value = read(cell(amount), fail)
    if (sign === 'direction') return cell(direction) === debitMark ? -Math.abs(value) : Math.abs(value)
    return sign === 'minus' ? 0 - value : value
  }
}

/** Finds the references of a row: its column first, then what begins with the prefix in the text. */
function referenceFinder({ reference }: BankProfile) {
  const inText = (text: string): string[] => {
    if (!reference) return []
    const { prefix, length } = reference
    return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length === length && word.startsWith(prefix))
  }
  return (column: string, text: string) => [...new Set([column, ...inText(text)].filter((one) => one !== ''))]
}

/**
 * The balances before and behind the rows, which stand by rising or by falling time. A row whose balance follows from
 * neither neighbour shows that rows are missing. Throws Unreadable.
 */
function balancesOf(read: readonly ReadLine[]): Pick<StatementFile, 'opening' | 'closing'> {
  const first = read[0]
  const last = read.at(-1)
  if (first?.balance === undefined || last?.balance === undefined)
    return { opening: undefined, closing: undefined }
  const signed = ({ line }: ReadLine) => (line.direction === 'credit' ? line.amount : -line.amount)
  const breakOf = (rising: boolean) =>
    read.findIndex((one, index) => {
      const other = read[rising ? index - 1 : index + 1]
      return other?.balance !== undefined && other.balance + signed(one) !== one.balance
    })
  if (breakOf(true) < 0) return { opening: first.balance - signed(first), closing: last.balance }
  if (breakOf(false) < 0) return { opening: last.balance - signed(last), closing: first.balance }
  const broken = read[breakOf(true)]
  throw new Unreadable(broken?.fileLine ?? 0, 'its balance does not follow from the row before it')
}
