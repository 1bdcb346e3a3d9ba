/** Bytes of a file, and rows of a statement. */
export const MOST_BYTES = 20 * 1024 * 1024
export const MOST_ROWS = 100_000
/** Characters of a record: a line of CSV, or a transaction of camt.053. */
export const MOST_RECORD = 8 * 1024
/** The zone of a file that does not name one. */
export const LOCAL_ZONE = 'Asia/Ho_Chi_Minh'

export type Direction = 'credit' | 'debit'

/** A row as its file has it. */
export interface Line {
  /** From 1, in the order of the file. */
  n: number
  /** YYYY-MM-DD, as the bank books it. */
  date: string
  /** Milliseconds. Undefined when the bank gives the date alone. */
  at: number | undefined
  /** Đồng, at least 0: the direction has the sign. */
  amount: number
  direction: Direction
  /** The bank's codes of the transaction, the most telling one first. */
  references: readonly string[]
  text: string
  /** The bank says that it takes an earlier row back. */
  isReversal: boolean
  /** It is dated outside of the period that the file names. */
  isOutside: boolean
  /** The sum of several transfers, which the file does not tell apart. */
  isBatch: boolean
}

/** What a file says. */
export interface StatementFile {
  format: 'csv' | 'camt.053'
  /** Undefined when the file does not name it. */
  account: string | undefined
  zone: string
  /** The first and the last date. */
  from: string
  to: string
  /** Balances in đồng, negative when the account is overdrawn. Undefined when the file has none. */
  opening: number | undefined
  closing: number | undefined
  lines: readonly Line[]
}

/** Where a row stands. Each row is in one bucket. */
export const BUCKETS = [
  /** A payment of the hub, with the same amount. */
  'matched',
  /** A payment of the hub with the same reference and another amount. */
  'differs',
  /** No payment of the hub. */
  'bank_only',
  /** A person has to say which payment it is. */
  'undecided',
  /** An earlier statement has it. */
  'repeated',
  /** A credit that the bank has taken back, and the row that takes it back. */
  'reversed',
  /** A debit, or dated outside of the statement. */
  'other',
] as const
export type Bucket = (typeof BUCKETS)[number]

/** By what a row was matched. `decided`: by a person. */
export const RULES = ['reference', 'bill', 'decided'] as const
export type Rule = (typeof RULES)[number]

/** Spaces, dots and dashes do not distinguish account numbers. */
export function plainAccount(account: string): string {
  return account.replace(/[\s.-]/g, '').toUpperCase()
}

/** A file that can't be read as a statement. */
export class Unreadable extends Error {
  /** Of the file, from 1; 0 when it is the whole file. */
  readonly line: number
  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}
