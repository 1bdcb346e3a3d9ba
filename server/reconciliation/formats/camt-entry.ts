import { type Direction, type Line, Unreadable } from '../model/statement.ts'
import { amountReader } from './amounts.ts'
import { at, type Element, readTimeIn, textOf, textsOf } from './camt-element.ts'
import { instantsIn } from './dates.ts'

/** What a bank writes into a code that it does not have. */
const NO_CODE = /^(NOTPROVIDED|NONREF|N\/A|0+)$/i

const readAmount = amountReader({ decimal: '.', thousand: '' })

/** The amount of an element in đồng. Throws Unreadable. */
function amountOf(element: Element): number {
  const amount = readAmount(element.text)
  if (amount === undefined || amount < 0)
    throw new Unreadable(element.line, 'the amount is not one of whole đồng')
  if (element.currency !== 'VND') throw new Unreadable(element.line, 'the currency is not VND')
  return amount
}

/** As `amountOf`, negative for a debit. */
export function signedAmount(element: Element, direction: string | undefined): number {
  return direction === 'DBIT' ? 0 - amountOf(element) : amountOf(element)
}

/** Makes a reader of entries. An entry has a row for each of its transactions, unless their amounts are not told. */
export function entryReader(zone: string): (entry: Element) => Omit<Line, 'n'>[] {
  const readTime = readTimeIn(zone)
  const toInstant = instantsIn(zone)

  function timeOf(entry: Element) {
    const found = ['BookgDt', 'ValDt'].map((name) => textOf(entry, name, 'DtTm') ?? textOf(entry, name, 'Dt'))
    const text = found.find((one) => one !== undefined)
    const time = text === undefined ? undefined : readTime(text)
    if (!time) throw new Unreadable(entry.line, 'the entry has no date')
    return { date: time.date, at: toInstant(time) }
  }

  return (entry) => {
    // Since version 08 the status is a code below it.
    if ((textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts')) !== 'BOOK') return []
    const written = at(entry, 'Amt')
    if (!written) throw new Unreadable(entry.line, 'the entry has no amount')
    const whole: Omit<Line, 'n' | 'references' | 'text'> = {
      ...timeOf(entry),
      amount: amountOf(written),
      direction: directionOf(entry, undefined),
      isReversal: /^(true|1)$/.test(textOf(entry, 'RvslInd') ?? ''),
      ...{ isOutside: false, isBatch: false },
    }
    const transactions = entry.children
      .filter(({ name }) => name === 'NtryDtls')
      .flatMap(({ children }) => children.filter(({ name }) => name === 'TxDtls'))
    const [only] = transactions
    if (transactions.length <= 1)
      return [{ ...whole, references: referencesOf(entry, only), text: textIn(entry, only) }]
    const parts = partsOf(transactions, whole)
    if (!parts)
      return [
        {
          ...whole,
          isBatch: true,
          references: referencesOf(entry, undefined),
          text: textIn(entry, undefined),
        },
      ]
    // The codes of the entry are those of the batch.
    return parts.map(({ transaction, ...part }) => ({
      ...{ ...whole, ...part, references: referencesOf(undefined, transaction) },
      text: textIn(entry, transaction),
    }))
  }
}

function directionOf(element: Element, otherwise: Direction | undefined): Direction {
  const written = textOf(element, 'CdtDbtInd')
  if (written === 'CRDT') return 'credit'
  if (written === 'DBIT') return 'debit'
  if (otherwise) return otherwise
  throw new Unreadable(element.line, 'the entry is neither a credit nor a debit')
}

/** The transactions of a batch with their amounts. Undefined when one has none, or they do not add up to the entry. */
function partsOf(transactions: readonly Element[], whole: { amount: number; direction: Direction }) {
  const parts = transactions.map((transaction) => {
    const written = at(transaction, 'Amt') ?? at(transaction, 'AmtDtls', 'TxAmt', 'Amt')
    const amount = written?.currency === 'VND' ? amountOf(written) : undefined
    return { transaction, amount, direction: directionOf(transaction, whole.direction) }
  })
  const signed = parts.map(({ amount = 0, direction }) => (direction === whole.direction ? amount : -amount))
  const isWhole = signed.reduce((total, one) => total + one, 0) === whole.amount
  return isWhole
    ? parts.flatMap(({ amount, ...part }) => (amount === undefined ? [] : [{ ...part, amount }]))
    : undefined
}

/** The codes of a transaction; those of the entry count when it has one transaction alone. */
function referencesOf(entry: Element | undefined, transaction: Element | undefined): string[] {
  const refs = at(transaction, 'Refs')
  const names = ['AcctSvcrRef', 'TxId', 'EndToEndId', 'InstrId', 'UETR', 'ClrSysRef']
  const found = [
    ...names.flatMap((name) => textsOf(refs, name)),
    ...textsOf(entry, 'AcctSvcrRef'),
    ...(refs ? [] : textsOf(entry, 'NtryRef')),
  ]
  return [...new Set(found.filter((code) => !NO_CODE.test(code)))]
}

function textIn(entry: Element, transaction: Element | undefined): string {
  const remittance = transaction?.children.filter(({ name }) => name === 'RmtInf') ?? []
  const found = [
    ...remittance.flatMap((one) => textsOf(one, 'Ustrd')),
    ...remittance.flatMap((one) => textOf(one, 'Strd', 'CdtrRefInf', 'Ref') ?? []),
    ...textsOf(transaction, 'AddtlTxInf'),
    ...textsOf(entry, 'AddtlNtryInf'),
  ]
  return [...new Set(found)].join(' ')
}
