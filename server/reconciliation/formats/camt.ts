import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import {
  type Line,
  LOCAL_ZONE,
  MOST_RECORD,
  MOST_ROWS,
  plainAccount,
  type StatementFile,
  Unreadable,
} from '../model/statement.ts'
import { at, type Element, readTimeIn, textOf } from './camt-element.ts'
import { entryReader, signedAmount } from './camt-entry.ts'
import { decodeXml } from './decode.ts'

/** camt.053.001.02 to .13. */
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(0[2-9]|1[0-3])$/
/** Far more than the format has. */
const DEEPEST = 40
const DAY_MS = 24 * 60 * 60_000

/** One `Stmt` of a file. */
interface Part {
  account: string
  opening: number | undefined
  closing: number | undefined
  from: string | undefined
  to: string | undefined
  lines: Line[]
}

/**
 * Reads a camt.053 file, of which the `Stmt` elements of one account count: of `account`, or the only one that there is.
 * Throws Unreadable with the line and the reason. Entries that are not booked are no rows.
 */
export function readCamt(bytes: Uint8Array, account?: string, zone = LOCAL_ZONE): StatementFile {
  const parts = partsOf(decodeXml(bytes), zone)
  const accounts = new Set(parts.map((part) => part.account))
  const wanted = account === undefined ? [...accounts][0] : plainAccount(account)
  if (account === undefined && accounts.size > 1) throw new Unreadable(0, 'it has several accounts: name one')
  const own = parts.filter((part) => part.account === wanted)
  if (own.length === 0) throw new Unreadable(0, 'it is of another account')
  const lines = own.flatMap((part) =>
    part.lines.map((line) => ({ ...line, isOutside: isOutside(line, part) })),
  )
  if (lines.length === 0) throw new Unreadable(0, 'it has no booked entry')
  const dates = lines.map(({ date }) => date)
  const borders = (name: 'from' | 'to') => own.flatMap((part) => part[name] ?? [])
  return {
    ...{ format: 'camt.053', account: wanted, zone },
    from: (borders('from').length > 0 ? borders('from') : dates).toSorted()[0] ?? '',
    to: (borders('to').length > 0 ? borders('to') : dates).toSorted().at(-1) ?? '',
    opening: own[0]?.opening,
    closing: own.at(-1)?.closing,
    lines: lines.map((line, index) => ({ ...line, n: index + 1 })),
  }
}

const isOutside = ({ date }: Line, { from = date, to = date }: Part) => date < from || date > to

function partsOf(text: string, zone: string): Part[] {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const fail = (reason: string) => new Unreadable(parser.line, reason)
  const parts: Part[] = []
  const readEntry = entryReader(zone)
  let rows = 0
  /** From the document down. Below a `Stmt`, elements are kept until their end. */
  const open: Element[] = []
  let statement: Element | undefined
  let part: Part | undefined

  parser.on('error', () => {
    // The message of the library quotes the file.
    throw fail('it is not well-formed XML')
  })
  parser.on('doctype', () => {
    throw fail('it has a DOCTYPE')
  })
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (open.length === 0) checkRoot(tag, fail)
    if (open.length > DEEPEST) throw fail('its elements are nested too deeply')
    const element: Element = {
      name: tag.local,
      text: '',
      children: [],
      begins: parser.position,
      line: parser.line,
      currency: currencyOf(tag.attributes),
    }
    if (statement) open.at(-1)?.children.push(element)
    open.push(element)
    if (tag.local !== 'Stmt' || statement) return
    statement = element
    part = { account: '', opening: undefined, closing: undefined, from: undefined, to: undefined, lines: [] }
    parts.push(part)
  })
  parser.on('text', (written) => {
    const element = open.at(-1)
    if (statement && element && element.text.length <= MOST_RECORD) element.text += written
  })
  parser.on('closetag', () => {
    const element = open.pop()
    const parent = open.at(-1)
    if (!element || !statement || !part) return
    if (element.name === 'TxDtls' || element.name === 'Ntry') checkLength(element, parser.position, fail)
    if (parent === statement) {
      if (element.name === 'Ntry') {
        for (const line of readEntry(element)) part.lines.push({ n: 0, ...line })
        rows = parts.reduce((total, { lines }) => total + lines.length, 0)
        if (rows > MOST_ROWS) throw fail(`it has more than ${MOST_ROWS} rows`)
      } else readHead(element, part, zone)
      // Entries are read one by one: the tree of a whole file would fill the memory.
      statement.children = []
    }
    if (element === statement) statement = undefined
  })
  parser.write(text).close()
  if (parts.length === 0) throw new Unreadable(0, 'it has no statement')
  return parts
}

function currencyOf(attributes: Record<string, SaxesAttributeNS>): string | undefined {
  return attributes.Ccy?.value
}

function checkRoot({ local, uri }: SaxesTagNS, fail: (reason: string) => Unreadable) {
  if (local === 'Document' && NAMESPACE.test(uri)) return
  const [, other] = /(camt\.\d{3}\.\d{3}\.\d{2})$/.exec(uri) ?? []
  throw fail(`it is ${other ?? 'no camt.053'}: camt.053.001.02 to .13 are read`)
}

/** Of an entry, its transactions do not count. */
function checkLength(element: Element, end: number, fail: (reason: string) => Unreadable) {
  const { begins, name, children } = element
  element.length = end - begins
  const inner = name === 'Ntry' ? children.flatMap((child) => child.children) : []
  const own = inner.reduce((total, { length = 0 }) => total - length, element.length)
  if (own > MOST_RECORD) throw fail(`the record is longer than ${MOST_RECORD} characters`)
}

function readHead(element: Element, part: Part, zone: string) {
  if (element.name === 'Acct')
    part.account = plainAccount(textOf(element, 'Id', 'IBAN') ?? textOf(element, 'Id', 'Othr', 'Id') ?? '')
  if (element.name === 'FrToDt') {
    part.from = dayOf(element, 'FrDtTm', zone)
    part.to = dayOf(element, 'ToDtTm', zone)
  }
  if (element.name !== 'Bal') return
  const code = textOf(element, 'Tp', 'CdOrPrtry', 'Cd')
  const amount = at(element, 'Amt')
  if (!amount || (code !== 'OPBD' && code !== 'PRCD' && code !== 'CLBD')) return
  const signed = signedAmount(amount, textOf(element, 'CdtDbtInd'))
  if (code === 'CLBD') part.closing = signed
  else if (code === 'OPBD' || part.opening === undefined) part.opening = signed
}

/** The date of a border of the period. One that ends at midnight ends with the day before. */
function dayOf(element: Element, name: 'FrDtTm' | 'ToDtTm', zone: string): string | undefined {
  const text = textOf(element, name)
  const time = text === undefined ? undefined : readTimeIn(zone)(text)
  if (!time || name === 'FrDtTm' || time.seconds !== 0) return time?.date
  return new Date(Date.parse(`${time.date}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10)
}
