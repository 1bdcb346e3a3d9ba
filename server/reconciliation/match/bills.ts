import { type AccountPayment, isNear, type MatchRow, outcome, type Stage } from './model.ts'
import { codesOf, distinct, groups } from './references.ts'

/** Payments of one amount and one word that are looked at: more of them name no bill. */
const MOST_ALIKE = 1_000
const WORDS = /[\p{L}\p{N}]+/gu

/** Banks write a text in capitals, and with marks in another form. */
const plain = (text: string) => text.normalize('NFC').toUpperCase()
const wordsOf = (text: string): string[] => plain(text).match(WORDS) ?? []

/** Whether the number stands in the text by itself: no letter and no digit is beside it. */
export function hasWord(text: string, number: string): boolean {
  const [within, sought] = [plain(text), plain(number)]
  for (let at = within.indexOf(sought); at >= 0 && sought !== ''; at = within.indexOf(sought, at + 1)) {
    const isJoined = (character: string | undefined) =>
      character !== undefined && /[\p{L}\p{N}]/u.test(character)
    // By code points: a letter outside the first plane has two units.
    const before = [...within.slice(Math.max(0, at - 2), at)].at(-1)
    const [behind] = within.slice(at + sought.length, at + sought.length + 2)
    if (!isJoined(before) && !isJoined(behind)) return true
  }
  return false
}

/**
 * Rule 2: the number of the payment's bill stands in the text, the amounts are equal, and neither side has another partner.
 * When both sides have codes, and none is equal, it is only proposed. Returns the payments that are left because bills are
 * ambiguous.
 */
export function matchBills({ rows, payments, span, settle }: Stage): string[] {
  const billed = payments.filter(({ billNumber }) => wordsOf(billNumber).length > 0)
  if (billed.length === 0) return []
  const keyOf = (amount: number, word: string | undefined) => `${amount} ${word}`
  const keyOfBill = ({ amount, billNumber }: AccountPayment) => keyOf(amount, wordsOf(billNumber)[0])
  const paymentsOf = groups(billed, (payment) => [keyOfBill(payment)])
  const keysOfRow = ({ amount, text }: MatchRow) =>
    distinct(wordsOf(text).map((word) => keyOf(amount, word))).filter((key) => paymentsOf.has(key))
  const rowsOf = groups(rows, keysOfRow)
  const isFor = (row: MatchRow, payment: AccountPayment) =>
    isNear(row, payment, span) && hasWord(row.text, payment.billNumber)
  const claimantsOf = (payment: AccountPayment) =>
    (rowsOf.get(keyOfBill(payment)) ?? []).slice(0, MOST_ALIKE).filter((row) => isFor(row, payment))
  const ambiguous: string[] = []
  for (const row of distinct([...rowsOf.values()].flat())) {
    const candidates = keysOfRow(row)
      .flatMap((key) => (paymentsOf.get(key) ?? []).slice(0, MOST_ALIKE))
      .filter((payment) => isFor(row, payment))
    const [payment] = candidates
    if (!payment) continue
    const isUnique = candidates.length === 1 && claimantsOf(payment).length === 1
    if (!isUnique) ambiguous.push(...candidates.map(({ id }) => id))
    settle(row, isUnique ? named(row, payment) : outcome('undecided'))
  }
  return ambiguous
}

function named(row: MatchRow, payment: AccountPayment) {
  // The rule before has found no equal code.
  const isContradicted = row.references.length > 0 && codesOf(payment).length > 0
  return isContradicted
    ? outcome('undecided', { proposedId: payment.id })
    : outcome('matched', { rule: 'bill', paymentId: payment.id })
}
