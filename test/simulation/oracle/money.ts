import { isDeepStrictEqual } from 'node:util'
import type { Word } from '../hub/door.ts'
import { Violation } from '../kit/violation.ts'
import type { Books, Entry } from './books.ts'
import type { FileReader } from './file.ts'

const CHECKSUM_MISMATCH = 40014
const STORE_NOT_FOUND = 40016
const TRANSACTION_CONFLICT = 40018

/** Every payment is counted exactly once, and what was answered with 200 is on record whatever is killed. */
export function checkMoney(file: FileReader, books: Books) {
  const counted = new Map<string, { count: number; sum: number }>()
  const seen = new Set<Entry>()
  for (const { clientId, storeId, amount } of file.payments()) {
    const entry = books.byAmount(amount)
    if (!entry) throw new Violation('money', `${amount} is on record, and nobody has paid it`)
    if (seen.has(entry)) throw new Violation('money', `${amount} is on record twice`)
    seen.add(entry)
    const { till } = entry.money
    if (clientId !== till.partner.clientId || storeId !== till.storeId)
      throw new Violation(
        'foreign data',
        `${amount} was paid to ${till.storeName}, and is on record at another's`,
      )
    const { count, sum } = counted.get(storeId) ?? { count: 0, sum: 0 }
    counted.set(storeId, { count: count + 1, sum: sum + amount })
  }
  for (const entry of books.entries)
    if (entry.answer && !seen.has(entry))
      throw new Violation('money', `${entry.money.amount} was answered with 200, and is not on record`)
  for (const { id, totalTransaction, totalAmount } of file.stores()) {
    const { count, sum } = counted.get(id) ?? { count: 0, sum: 0 }
    if (totalTransaction !== count || totalAmount !== sum)
      throw new Violation(
        'money',
        `a store's totals are ${totalTransaction} payments of ${totalAmount}, and it has ${count} of ${sum}`,
      )
  }
}

/** A report that is as the processor means it is accepted; the same payment gets its first answer for ever. */
export function checkReport(entry: Entry, word: Word) {
  const { amount } = entry.money
  if (word.kind === 'refused') throw new Violation('answers', `${amount} was refused with ${word.code}`)
  if (entry.answer && !isDeepStrictEqual(word.record, entry.answer))
    throw new Violation('answers', `${amount} was reported again, and answered otherwise`)
  // Two that were told of it at once may hear back in either order.
  if (!word.replayed && entry.wasTakenForNew)
    throw new Violation('answers', `${amount} was reported again, and taken for new`)
  entry.wasTakenForNew ||= !word.replayed
  const { till, callback } = entry.money
  const { storeId, billNumber } = word.record
  if (storeId !== till.storeId || billNumber !== callback.billNumber)
    throw new Violation('foreign data', `${amount} was answered with the record of another payment`)
  entry.answer = word.record
}

/** A report that nobody may accept is refused for its own reason. */
export function checkRefusal(why: 'contradicting' | 'forged' | 'foreign', word: Word) {
  const code = { contradicting: TRANSACTION_CONFLICT, forged: CHECKSUM_MISMATCH, foreign: STORE_NOT_FOUND }[
    why
  ]
  const got = word.kind === 'refused' ? word.code : 200
  if (got !== code) throw new Violation('answers', `a ${why} report was answered with ${got}, not ${code}`)
}
