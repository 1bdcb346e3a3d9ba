import type { Page, PageRequest } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { NamedProfile } from './formats/profile.ts'
import type { AccountPayment, MatchRow, Outcome } from './match/model.ts'
import type { Summary } from './match/summary.ts'
import type { Bucket, Line, StatementFile } from './model/statement.ts'

/** An import that has stored nothing for so long has died: its rows are removed. */
export const IMPORT_DIES_MS = 15_000
/** Rows of one commit, which takes some milliseconds in SQLite: payments wait for it. */
export const ROWS_PER_COMMIT = 250

/** A statement of a bank, as it is stored. */
export interface Statement extends Omit<StatementFile, 'lines' | 'account'> {
  id: string
  clientId: string
  account: string
  accountId: string
  /** Undefined for camt.053. */
  profile: string | undefined
  /** Of the file, hexadecimal. */
  sha256: string
  /** The instants at which its days begin and end. */
  fromAt: number
  untilAt: number
  rowCount: number
  state: 'open' | 'signed'
  importedAt: number
  summary: Summary
}

/** A statement that is to be imported. */
export type NewStatement = Omit<Statement, 'state' | 'summary' | 'accountId'>

/** A row of a statement, with where it stands. */
export interface StatementRow extends Line, Outcome {
  id: string
  decision: MatchRow['decision']
  decidedBy: string | undefined
  decidedAt: number | undefined
}

/** A row to be stored. */
export type NewRow = Line & Outcome & { id: string }

/** A payment of the account. */
export interface KnownPayment extends AccountPayment {
  terminalID: string
}

/** How far a statement's rows are matched. */
export interface Freshness {
  id: string
  from: string
  to: string
  /** Undefined: its rows have to be matched. */
  matchedVersion: number | undefined
  seenUpTo: number
}

/** An account, and the newest payment of the hub. */
export interface AccountState {
  version: number
  newestPayment: number
}

export interface SignOff {
  id: string
  statementId: string
  at: number
  signedBy: string
  note: string
  /** Of the snapshot and the rows: see `Summary`. */
  hash: string
  /** What was signed: counts, sums and whether it was balanced, as JSON. */
  snapshot: string
}

export type Decided =
  | { kind: 'decided'; bucket: Bucket }
  | { kind: 'not_found' }
  /** Only credits that no other statement has can be decided. */
  | { kind: 'not_open'; bucket: Bucket }
  /** Another row has the payment. */
  | { kind: 'taken'; row: string }

/** Statements of banks. No act changes a payment, a bill, an announcement or a total. */
export interface StatementRecords {
  saveProfile(by: Actor, profile: NamedProfile): Promise<void>
  profiles(): Promise<NamedProfile[]>

  /**
   * Begins an import, which nobody sees before `finish`. `known`: the account has this file. `busy`: another import of the
   * account is under way. An import of the account that has died is removed first.
   */
  begin(
    by: Actor,
    statement: NewStatement,
  ): Promise<{ kind: 'begun'; accountId: string } | { kind: 'known'; id: string } | { kind: 'busy' }>
  /** Says that the import lives. False when it was removed. */
  hold(id: string, at: number): Promise<boolean>
  /** Adds rows, at most ROWS_PER_COMMIT. A payment leaves the row that had it before. False when the import was removed. */
  addRows(id: string, rows: readonly NewRow[], at: number): Promise<boolean>
  /** Ends an import. `matched`: at which version of its account the rows were matched. False when it was removed. */
  finish(by: Actor, id: string, matched: Matched, at: number): Promise<boolean>
  /** Removes an import that is under way. */
  abandon(id: string): Promise<void>
  /** Removes rows of imports that have died before an instant. Returns how many imports are gone. */
  removeDead(before: number): Promise<number>

  /** Takes over the account's payments around the days of a statement that it has not seen. */
  collect(id: string): Promise<void>
  /**
   * Stores outcomes of rows, at most ROWS_PER_COMMIT. A payment leaves the row that had it before. False when the account
   * has another version: nothing is stored.
   */
  storeOutcomes(
    accountId: string,
    version: number,
    changes: readonly (Outcome & { id: string })[],
  ): Promise<boolean>
  /** Stores that a statement's rows are matched. False when the account has another version. */
  settle(id: string, matched: Matched): Promise<boolean>

  /** Stores what a person says of a row: its payment, or none. */
  decide(
    by: Actor,
    row: { statementId: string; n: number },
    decision: KnownPayment | 'none',
    at: number,
  ): Promise<Decided>
  /** Signs off what `version` of the account was matched to. False when the account has another version. */
  sign(by: Actor, signOff: Omit<SignOff, 'signedBy'>, version: number): Promise<boolean>

  /** Of all partners without a client. */
  find(clientId: string | undefined, id: string): Promise<Statement | undefined>
  /** A page of a partner's statements, newest first, below the id `after`. */
  list(clientId: string, page: { limit: number; after: string | undefined }): Promise<Statement[]>
  /**
   * A page of a partner's statements that have a day, of accounts with this end: the last begun first, then by falling id.
   * One read looks at a bounded number of statements.
   */
  ofDay(
    clientId: string,
    day: { date: string; accountEnd: string | undefined },
    page: PageRequest,
  ): Promise<Page<{ id: string }>>
  signOffs(statementId: string): Promise<SignOff[]>
  /** Rows by their number, above `after`. */
  rows(
    statementId: string,
    filter: { bucket: Bucket | undefined; after: number; limit: number },
  ): Promise<StatementRow[]>
  row(statementId: string, n: number): Promise<StatementRow | undefined>
  /** The id of an account of which there is a statement. */
  account(clientId: string, account: string): Promise<string | undefined>
  /** The accounts of a partner of which there is a statement. */
  accounts(clientId: string): Promise<{ id: string; account: string }[]>
  state(accountId: string): Promise<AccountState>
  /** The statements of an account that have one of these days. */
  near(accountId: string, days: { from: string; to: string }): Promise<Freshness[]>
  /** Live rows of an account: those of these days that no earlier statement has, and the debits up to `debitsTo`. */
  liveRows(accountId: string, days: LiveDays, after: RowPlace | undefined): Promise<PlacedRow[]>
  /** Payments of an account by their time, from an instant on and before another. */
  payments(
    accountId: string,
    time: { from: number; until: number },
    page: { after: KnownPayment | undefined; limit: number },
  ): Promise<KnownPayment[]>
  /** Which of these payments a row has, or are proposed to one. */
  used(paymentIds: readonly string[]): Promise<Set<string>>
  /** A payment of a partner's account. */
  payment(clientId: string, account: string, id: string): Promise<KnownPayment | undefined>
  /** A page of a partner's payments of an account, newest first, whether there is a statement or not. */
  paymentsOf(
    clientId: string,
    account: string,
    time: { from: number; until: number },
    page: PageRequest,
  ): Promise<Page<KnownPayment>>
}

export interface Matched {
  version: number
  summary: Summary
}

export interface LiveDays {
  from: string
  to: string
  debitsTo: string
  /** Not the rows of these statements. */
  except: readonly string[]
  limit: number
}

/** Where a row stands among those of its account. */
export interface RowPlace {
  date: string
  id: string
}

export interface PlacedRow extends StatementRow {
  statementId: string
}
