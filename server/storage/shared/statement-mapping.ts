import type { NamedProfile } from '../../reconciliation/formats/profile.ts'
import type { KnownPayment, NewRow, PlacedRow, Statement } from '../../reconciliation/ports.ts'
import type { Vault } from '../../security/vault.ts'
import { sealedFields } from './sealed-columns.ts'
import { type Nullable, withoutNulls } from './without-nulls.ts'

/** The columns of a StatementColumns, of `statements s JOIN bank_accounts a`. */
export const STATEMENT = `s.id, s.client_id AS "clientId", s.account_id AS "accountId", a.account, s.format, s.profile,
  s.sha256, s.zone, s.from_date AS "from", s.to_date AS "to", s.from_at AS "fromAt", s.until_at AS "untilAt", s.opening,
  s.closing, s.row_count AS "rowCount", s.state, s.imported_at AS "importedAt", s.summary`

export interface StatementColumns extends Nullable<Omit<Statement, 'account' | 'summary'>> {
  account: Buffer
  summary: string
}

/** The columns of a RowColumns, of `statement_rows r`. */
export const ROW = `r.id, r.statement_id AS "statementId", r.n, r.date, r.at, r.amount, r.direction, r.refs, r.narrative, r.flags,
  r.bucket, r.rule, r.payment_id AS "paymentId", r.proposed_id AS "proposedId", r.other_row AS "otherRow", r.decision,
  r.decision_amount AS "decisionAmount", r.decided_by AS "decidedBy", r.decided_at AS "decidedAt"`

/** What is told in other columns. */
type Told = 'references' | 'text' | 'isReversal' | 'isOutside' | 'isBatch' | 'decision'

export interface RowColumns extends Nullable<Omit<PlacedRow, Told>> {
  refs: string
  narrative: Buffer
  flags: string
  decision: string | null
  decisionAmount: number | null
}

/** The columns of a payment of an account. */
export const PAYMENT = `p.id, p.paid_at AS "paidAt", p.amount, p.ft_code AS "ftCode", p.trace_transfer AS "traceTransfer",
  p.bill_number AS "billNumber", p.terminal_id AS "terminalID"`

/** Maps statements and their rows to columns and back. */
export function createStatementMapping(vault: Vault) {
  const accounts = sealedFields(vault, 'bankAccounts')
  const narratives = sealedFields(vault, 'statementRows')

  return {
    sealAccount: (id: string, account: string) => accounts.seal(id, 'account', account),
    readAccount: (id: string, account: Buffer) => accounts.read(id, 'account', account),

    toStatement({ account, summary, ...row }: StatementColumns): Statement {
      return {
        ...withoutNulls(row),
        account: accounts.read(row.accountId, 'account', account),
        // An act has stored it.
        summary: JSON.parse(summary) as Statement['summary'],
      }
    },

    toColumns({ references, text, isReversal, isOutside, isBatch, ...row }: NewRow) {
      const flags = Object.entries({ reversal: isReversal, outside: isOutside, batch: isBatch })
      return {
        ...row,
        refs: JSON.stringify(references),
        narrative: narratives.seal(row.id, 'narrative', text),
        flags: flags.flatMap(([name, isSet]) => (isSet ? [name] : [])).join(' '),
      }
    },

    toRow({ refs, narrative, flags, decision, decisionAmount, ...row }: RowColumns): PlacedRow {
      const has = flags.split(' ')
      return {
        ...withoutNulls(row),
        // An act has stored it.
        references: JSON.parse(refs) as string[],
        text: narratives.read(row.id, 'narrative', narrative),
        isReversal: has.includes('reversal'),
        isOutside: has.includes('outside'),
        isBatch: has.includes('batch'),
        decision: decisionOf(decision, decisionAmount),
      }
    },
  }
}

function decisionOf(id: string | null, amount: number | null): PlacedRow['decision'] {
  if (id === null) return undefined
  return id === '' ? 'none' : { id, amount: amount ?? 0 }
}

export function toProfile({
  profile,
  ...row
}: Omit<NamedProfile, 'profile'> & { profile: string }): NamedProfile {
  // An act has stored it.
  return { ...row, profile: JSON.parse(profile) as NamedProfile['profile'] }
}

/** The order of an account's payments. */
export function placeOf(payment: KnownPayment | undefined): [paidAt: number, id: string] {
  return payment ? [payment.paidAt, payment.id] : [-1, '']
}
