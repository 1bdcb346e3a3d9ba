import { dateAfter } from '../../../reconciliation/match/days.ts'
import type { Freshness, KnownPayment, StatementRecords } from '../../../reconciliation/ports.ts'
import {
  createStatementMapping,
  PAYMENT,
  placeOf,
  ROW,
  type RowColumns,
  STATEMENT,
  type StatementColumns,
} from '../../shared/statement-mapping.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Engine, row, rows } from '../act.ts'
import { findAccount } from './imports.ts'

/** Above every id. */
const ABOVE_ALL = '~'
const DAY_MS = 24 * 60 * 60_000
/** Statements that one read of a day looks at: a millisecond, with the accounts that have to be unsealed. */
const LOOKED_AT = 250

/** A statement that a day may have. */
interface DayColumns {
  id: string
  from: string
  to: string
  state: string
  accountId: string
  account: Buffer
}

/** Statements as people read them. Nobody sees one that is being imported. */
export function createStatementReads(
  engine: Engine,
): Pick<StatementRecords, 'find' | 'list' | 'ofDay' | 'rows' | 'row' | 'account' | 'accounts'> {
  const { reading } = engine
  const mapping = createStatementMapping(engine.vault)

  return {
    find: reading(function* (clientId, id) {
      const found = yield* row<StatementColumns>(
        'statements.find',
        `SELECT ${STATEMENT} FROM statements s JOIN bank_accounts a ON a.id = s.account_id
         WHERE s.id = $1 AND s.state <> 'importing'`,
        [id],
      )
      return found && (clientId ?? found.clientId) === found.clientId ? mapping.toStatement(found) : undefined
    }),

    list: reading(function* (clientId, { limit, after = ABOVE_ALL }) {
      const found = yield* rows<StatementColumns>(
        'statements.list',
        `SELECT ${STATEMENT} FROM statements s JOIN bank_accounts a ON a.id = s.account_id
         WHERE s.client_id = $1 AND s.id < $2 AND s.state <> 'importing' ORDER BY s.id DESC LIMIT $3`,
        [clientId, after, limit],
      )
      return found.map(mapping.toStatement)
    }),

    ofDay: reading(function* (clientId, { date, accountEnd = '' }, { limit, after }) {
      const longest = yield* row<{ ms: number }>(
        'statements.longest',
        `SELECT until_at - from_at AS ms FROM statements WHERE client_id = $1
         ORDER BY client_id DESC, until_at - from_at DESC LIMIT 1`,
        [clientId],
      )
      const first = dateAfter(date, -Math.ceil((longest?.ms ?? 0) / DAY_MS))
      const [from = '', id = ''] = after?.split(' ') ?? [date, ABOVE_ALL]
      const looked = yield* rows<DayColumns>(
        'statements.ofDay',
        `SELECT s.id, s.from_date AS "from", s.to_date AS "to", s.state, a.id AS "accountId", a.account
         FROM statements s JOIN bank_accounts a ON a.id = s.account_id
         WHERE s.client_id = $1 AND s.from_date >= $2 AND (s.from_date, s.id) < ($3, $4)
         ORDER BY s.client_id DESC, s.from_date DESC, s.id DESC LIMIT $5`,
        [clientId, first, from, id, LOOKED_AT],
      )
      const cursorOf = (one: DayColumns) => `${one.from} ${one.id}`
      const found: { id: string; cursor: string }[] = []
      for (const one of looked) {
        if (one.to < date || one.state === 'importing') continue
        if (!mapping.readAccount(one.accountId, one.account).endsWith(accountEnd)) continue
        found.push({ id: one.id, cursor: cursorOf(one) })
        if (found.length === limit) return { rows: found, next: cursorOf(one) }
      }
      const last = looked.length < LOOKED_AT ? undefined : looked.at(-1)
      return { rows: found, next: last && cursorOf(last) }
    }),

    rows: reading(function* (statementId, { bucket, after, limit }) {
      const found =
        bucket === undefined
          ? yield* rows<RowColumns>(
              'statements.rows',
              `SELECT ${ROW} FROM statement_rows r WHERE r.statement_id = $1 AND r.n > $2 ORDER BY r.n LIMIT $3`,
              [statementId, after, limit],
            )
          : yield* rows<RowColumns>(
              'statements.rows of a bucket',
              `SELECT ${ROW} FROM statement_rows r WHERE r.statement_id = $1 AND r.bucket = $2 AND r.n > $3
               ORDER BY r.n LIMIT $4`,
              [statementId, bucket, after, limit],
            )
      return found.map(mapping.toRow)
    }),

    row: reading(function* (statementId, n) {
      const found = yield* row<RowColumns>(
        'statements.row',
        `SELECT ${ROW} FROM statement_rows r WHERE r.statement_id = $1 AND r.n = $2`,
        [statementId, n],
      )
      return found && mapping.toRow(found)
    }),

    account: reading((clientId, account) => findAccount(engine, clientId, account)),

    accounts: reading(function* (clientId) {
      const found = yield* rows<{ id: string; account: Buffer }>(
        'statements.accounts',
        'SELECT id, account FROM bank_accounts WHERE client_id = $1 ORDER BY account_hash',
        [clientId],
      )
      return found.map(({ id, account }) => ({ id, account: mapping.readAccount(id, account) }))
    }),
  }
}

/** What the matching reads of an account: how new it is, its rows and its payments. */
export function createMatchingReads({
  vault,
  reading,
  among,
}: Engine): Pick<StatementRecords, 'state' | 'near' | 'liveRows' | 'payments' | 'used'> {
  const mapping = createStatementMapping(vault)

  return {
    state: reading(function* (accountId) {
      const found = yield* row<{ version: number; newestPayment: number | null }>(
        'statements.state',
        `SELECT version, (SELECT max(number) FROM payments) AS "newestPayment" FROM bank_accounts WHERE id = $1`,
        [accountId],
      )
      return { version: found?.version ?? 0, newestPayment: found?.newestPayment ?? 0 }
    }),

    near: reading(function* (accountId, { from, to }) {
      const found = yield* rows<{
        [K in keyof Freshness]: Freshness[K] | (K extends 'matchedVersion' ? null : never)
      }>(
        'statements.near',
        `SELECT id, from_date AS "from", to_date AS "to", matched_version AS "matchedVersion", seen_up_to AS "seenUpTo"
         FROM statements WHERE account_id = $1 AND from_date <= $3 AND to_date >= $2 AND state <> 'importing'`,
        [accountId, from, to],
      )
      return found.map((one) => ({ ...withoutNulls(one), id: one.id }) as Freshness)
    }),

    liveRows: reading(function* (accountId, { from, to, debitsTo, except, limit }, after) {
      const found = yield* rows<RowColumns>(
        'statements.liveRows',
        `SELECT ${ROW} FROM statement_rows r JOIN statements s ON s.id = r.statement_id
         WHERE r.account_id = $1 AND r.date >= $2 AND r.date <= $3 AND (r.date, r.id) > ($4, $5)
           AND r.bucket <> 'repeated' AND NOT (${among('r.statement_id', '$8')}) AND s.state <> 'importing' AND (r.date <= $6 OR r.direction = 'debit')
         ORDER BY r.date, r.id LIMIT $7`,
        [accountId, from, debitsTo, after?.date ?? '', after?.id ?? '', to, limit, except],
      )
      return found.map(mapping.toRow)
    }),

    payments: reading(function* (accountId, { from, until }, { after, limit }) {
      return yield* rows<KnownPayment>(
        'statements.payments',
        `SELECT ${PAYMENT} FROM account_payments p
         WHERE p.account_id = $1 AND p.paid_at >= $2 AND p.paid_at < $3 AND (p.paid_at, p.id) > ($4, $5)
         ORDER BY p.paid_at, p.id LIMIT $6`,
        [accountId, from, until, ...placeOf(after), limit],
      )
    }),

    used: reading(function* (paymentIds) {
      const found = yield* rows<{ id: string }>(
        'statements.used',
        `SELECT r.payment_id AS id FROM statement_rows r JOIN statements s ON s.id = r.statement_id
         WHERE ${among('r.payment_id', '$1')} AND s.state <> 'importing'
         UNION ALL
         SELECT r.proposed_id AS id FROM statement_rows r JOIN statements s ON s.id = r.statement_id
         WHERE ${among('r.proposed_id', '$1')} AND s.state <> 'importing'`,
        [paymentIds],
      )
      return new Set(found.map(({ id }) => id))
    }),
  }
}
