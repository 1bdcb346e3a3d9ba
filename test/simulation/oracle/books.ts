import type { Word } from '../hub/door.ts'
import { MOST_PAYMENTS, type MovedMoney } from '../shop/payment.ts'

/** What a processor knows of a payment. */
export interface Entry {
  money: MovedMoney
  /** The first 200 that it got, which holds for ever. */
  answer: Extract<Word, { kind: 'accepted' }>['record'] | undefined
  /** One report of it was answered as the first. */
  wasTakenForNew: boolean
}

/** The processors' own books: all money that has moved, and what the hub has said to it. */
export interface Books {
  entries: readonly Entry[]
  /** For a payment that is still to be made; undefined when there are no more amounts. */
  nextIndex(): number | undefined
  add(money: MovedMoney): Entry
  /** By what was spoken; undefined for an amount that nobody has paid. */
  byAmount(amount: string | number): Entry | undefined
}

export function createBooks(): Books {
  const entries: Entry[] = []
  const byAmount = new Map<string, Entry>()
  let index = 0
  return {
    entries,
    nextIndex() {
      if (index >= MOST_PAYMENTS) return undefined
      index += 1
      return index - 1
    },
    add(money) {
      const entry = { money, answer: undefined, wasTakenForNew: false }
      entries.push(entry)
      byAmount.set(money.amount, entry)
      return entry
    },
    byAmount: (amount) => byAmount.get(String(amount)),
  }
}
