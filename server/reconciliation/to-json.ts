import { isoInstant } from '../platform/clock.ts'
import { moved } from './balance.ts'
import type { AccountDay } from './day-of.ts'
import type { DaySums } from './match/summary.ts'
import type { SignOff } from './ports.ts'
import type { ShownStatement } from './show-statement.ts'

/** Statements as the API and the command line write them: amounts are digits, times ISO 8601. */

/** Both sides, each with its whole. */
export function toSumsJson(sums: DaySums) {
  const { credit, debit } = moved(sums)
  const rows = Object.values(sums.bank).reduce((all, { count }) => all + count, 0)
  const payments = Object.values(sums.hub)
  return {
    bank: { count: rows, credit: String(credit), debit: String(debit), ...sums.bank },
    hub: {
      count: payments.reduce((all, { count }) => all + count, 0),
      amount: String(payments.reduce((all, { amount }) => all + BigInt(amount), 0n)),
      ...sums.hub,
    },
  }
}

const digits = (amount: number | undefined) => (amount === undefined ? null : String(amount))

export function toStatementJson({ statement, sums, unbalanced, signOffs, isChangedSince }: ShownStatement) {
  const { id, clientId, account, format, profile = null, sha256, zone, from, to, rowCount, state } = statement
  return {
    ...{ id, clientId, account, state, format, profile, sha256, from, to, zone, rows: rowCount },
    ...{ opening: digits(statement.opening), closing: digits(statement.closing) },
    importedAt: isoInstant(statement.importedAt),
    ...toSumsJson(sums),
    ...{ balanced: unbalanced.length === 0, unbalanced },
    signOffs: signOffs.map(toSignOffJson),
    changedSince: isChangedSince,
  }
}

function toSignOffJson({ at, signedBy, note, hash, snapshot }: SignOff) {
  // An act has stored it.
  const { unbalanced } = JSON.parse(snapshot) as { unbalanced: string[] }
  return { at: isoInstant(at), signedBy, note, hash, balanced: unbalanced.length === 0 }
}

export function toDayJson({ date, zone, accounts }: { date: string; zone: string; accounts: AccountDay[] }) {
  return { date, zone, data: accounts.map(toAccountDayJson) }
}

function toAccountDayJson({ account, sums, unbalanced, statementIds }: AccountDay) {
  return {
    account,
    ...toSumsJson(sums),
    balanced: unbalanced.length === 0,
    unbalanced,
    statements: statementIds,
  }
}
