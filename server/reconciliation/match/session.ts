import type { Line } from '../model/statement.ts'
import { dateAfter, daysOf } from './days.ts'
import { KnownRows } from './known-rows.ts'
import { match } from './match.ts'
import { type AccountPayment, type MatchRow, type Outcome, outcome } from './model.ts'
import { type HubPlace, type Summary, summarize } from './summary.ts'

/** A row as it is stored, or as it is to be stored. */
export interface SessionRow extends MatchRow, Pick<Line, 'n'> {
  statementId: string
  bucket: Outcome['bucket'] | undefined
  /** What it repeats, when it does. */
  otherRow: string | undefined
}

/** A statement whose rows are asked for. */
export interface Target {
  id: string
  from: string
  to: string
}

export interface SessionResult {
  /** Of the rows of the targets. */
  outcomes: Map<string, Outcome>
  summaries: Map<string, Summary>
}

/** Matches the rows of an account with its payments, once all are there that matter. */
export class MatchSession {
  readonly #rows: SessionRow[] = []
  readonly #payments: AccountPayment[] = []

  addRows(rows: readonly SessionRow[]) {
    for (const row of rows) this.#rows.push(row)
  }

  addPayments(payments: readonly AccountPayment[]) {
    for (const payment of payments) this.#payments.push(payment)
  }

  /** Adds the rows of a new file. Those that the rows so far have are repeated. */
  addFile(statementId: string, lines: readonly Line[]) {
    const known = new KnownRows(this.#rows.filter(({ bucket }) => bucket !== 'repeated'))
    for (const line of lines) {
      const first = known.take(line)
      this.#rows.push({
        ...line,
        ...{ id: rowId(statementId, line.n), statementId, decision: undefined, otherRow: first },
        bucket: first === undefined ? undefined : 'repeated',
      })
    }
  }

  run(zone: string, targets: readonly Target[]): SessionResult {
    const span = daysOf(zone)
    const live = this.#rows.filter(({ bucket }) => bucket !== 'repeated')
    const found = match(live, this.#payments, span)
    for (const { id, bucket, otherRow } of this.#rows)
      if (bucket === 'repeated') found.set(id, outcome('repeated', { otherRow }))
    const places = new Map<string, HubPlace>()
    for (const { paymentId, proposedId, bucket } of found.values()) {
      if (paymentId !== undefined) places.set(paymentId, placeOf(bucket))
      if (proposedId !== undefined) places.set(proposedId, 'undecided')
    }
    const result: SessionResult = { outcomes: new Map(), summaries: new Map() }
    for (const { id, from, to } of targets) {
      const rows = this.#rows.filter(({ statementId }) => statementId === id).toSorted((a, b) => a.n - b.n)
      for (const row of rows) result.outcomes.set(row.id, found.get(row.id) ?? outcome('bank_only'))
      const summary = summarize({
        ...{ rows, payments: this.#payments, dates: datesOf(from, to), span },
        outcomeOf: (rowId) => found.get(rowId),
        placeOf: (paymentId) => places.get(paymentId) ?? 'hub_only',
      })
      result.summaries.set(id, summary)
    }
    return result
  }
}

function placeOf(bucket: Outcome['bucket']): HubPlace {
  return bucket === 'differs' || bucket === 'reversed' ? bucket : 'matched'
}

/** The id of a row: known before it is stored. */
export function rowId(statementId: string, n: number): string {
  return `${statementId}/${String(n).padStart(6, '0')}`
}

/** All dates from one to another. */
export function datesOf(from: string, to: string): string[] {
  const dates: string[] = []
  for (let date = from; date <= to; date = dateAfter(date, 1)) dates.push(date)
  return dates
}
