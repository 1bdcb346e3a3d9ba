import type { CsvColumns } from '../platform/lists/csv.ts'
import { zonedTime } from '../platform/time/zoned-time.ts'
import type { AccountDay } from './day-of.ts'
import type { BankSum, HubSum } from './match/summary.ts'
import { BUCKETS } from './model/statement.ts'
import type { KnownPayment, Statement, StatementRow } from './ports.ts'
import type { RowsBucket, StatementLine } from './show-statement.ts'

/** A line of a statement as files and answers have it. A payment without a row has no number. */
export interface FlatLine {
  n: number | undefined
  date: string
  at: number | undefined
  direction: 'credit' | 'debit'
  amount: number
  references: readonly string[]
  text: string
  bucket: RowsBucket
  rule: string | undefined
  paymentId: string | undefined
  proposedPaymentId: string | undefined
  /** The id of a statement, a slash, and the number of a row in it. */
  otherRow: string | undefined
  decidedBy: string | undefined
  decidedAt: number | undefined
}

/** `time`: writes instants in the statement's zone. */
export function flatLine(line: StatementLine, time: (at: number) => string): FlatLine {
  return 'row' in line ? flatRow(line.row) : flatPayment(line.payment, time)
}

function flatRow(row: StatementRow): FlatLine {
  const { n, date, at, direction, amount, references, text, bucket, rule, paymentId, otherRow } = row
  return {
    ...{ n, date, at, direction, amount, references, text, bucket, rule, paymentId },
    ...{ otherRow: otherRow?.replace(/\/0+/, '/'), decidedBy: row.decidedBy, decidedAt: row.decidedAt },
    proposedPaymentId: row.proposedId,
  }
}

function flatPayment(payment: KnownPayment, time: (at: number) => string): FlatLine {
  const { id, paidAt, amount, ftCode, traceTransfer } = payment
  return {
    ...{ n: undefined, date: time(paidAt).slice(0, 10), at: paidAt, direction: 'credit', amount, text: '' },
    references: [ftCode, traceTransfer].filter((code) => code !== ''),
    ...{ bucket: 'hub_only', rule: undefined, paymentId: id, proposedPaymentId: undefined },
    ...{ otherRow: undefined, decidedBy: undefined, decidedAt: undefined },
  }
}

/** The name and the columns of a file of a statement's rows. Its times are in the statement's zone. */
export function rowsFile({ id, zone }: Pick<Statement, 'id' | 'zone'>) {
  const time = zonedTime(zone)
  const instant = (at: number | undefined) => (at === undefined ? '' : time(at))
  const columns: CsvColumns<FlatLine> = {
    n: ({ n }) => n ?? '',
    date: ({ date }) => date,
    at: ({ at }) => instant(at),
    direction: ({ direction }) => direction,
    amount: ({ amount }) => amount,
    reference: ({ references }) => references.join(';'),
    text: ({ text }) => text,
    bucket: ({ bucket }) => bucket,
    rule: ({ rule = '' }) => rule,
    paymentId: ({ paymentId = '' }) => paymentId,
    proposedPaymentId: ({ proposedPaymentId = '' }) => proposedPaymentId,
    otherRow: ({ otherRow = '' }) => otherRow,
    decidedBy: ({ decidedBy = '' }) => decidedBy,
    decidedAt: ({ decidedAt }) => instant(decidedAt),
  }
  return { name: `statement-${id}.csv`, columns, toLine: (line: StatementLine) => flatLine(line, time) }
}

/** Pages of lines as a file has them. */
export async function* flatPages(
  pages: AsyncIterable<readonly StatementLine[]>,
  toLine: (line: StatementLine) => FlatLine,
): AsyncGenerator<FlatLine[], void> {
  for await (const lines of pages) yield lines.map(toLine)
}

interface BucketOfDay {
  account: string
  bucket: RowsBucket
  bank: BankSum | undefined
  hub: HubSum | undefined
  isBalanced: boolean
}

/** The name, the columns and the lines of a file of a day: one for each account and bucket. */
export function dayFile({ date, zone, accounts }: { date: string; zone: string; accounts: AccountDay[] }) {
  const lines = accounts.flatMap(({ account, sums, unbalanced }) =>
    [...BUCKETS, 'hub_only' as const].map((bucket): BucketOfDay => {
      const hub: Partial<Record<string, HubSum>> = sums.hub
      const bank = bucket === 'hub_only' ? undefined : sums.bank[bucket]
      return { account, bucket, bank, hub: hub[bucket], isBalanced: unbalanced.length === 0 }
    }),
  )
  const columns: CsvColumns<BucketOfDay> = {
    account: ({ account }) => account,
    bucket: ({ bucket }) => bucket,
    rows: ({ bank }) => bank?.count ?? '',
    credit: ({ bank }) => bank?.credit ?? '',
    debit: ({ bank }) => bank?.debit ?? '',
    payments: ({ hub }) => hub?.count ?? '',
    amount: ({ hub }) => hub?.amount ?? '',
    balanced: ({ isBalanced }) => String(isBalanced),
    date: () => date,
    zone: () => zone,
  }
  async function* pages() {
    yield lines
  }
  return { name: `reconciliation-${date}-${zone.replaceAll('/', '-')}.csv`, columns, pages: pages() }
}
