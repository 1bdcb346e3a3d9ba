import type { StatementRecords } from '../../../reconciliation/ports.ts'
import { type Act, type Engine, row, rows } from '../act.ts'

/** Where rows stand as they are matched. */
export function createStatementOutcomes(engine: Engine): Pick<StatementRecords, 'storeOutcomes' | 'settle'> {
  const { writing, perRow, among } = engine
  const update = perRow(
    'statements.storeOutcome',
    {
      ...({ id: 'text', bucket: 'text', rule: 'text', paymentId: 'text' } as const),
      ...({ proposedId: 'text', otherRow: 'text' } as const),
    },
    (one, { from }) =>
      `UPDATE statement_rows SET bucket = ${one.bucket}, rule = ${one.rule}, payment_id = ${one.paymentId},
         proposed_id = ${one.proposedId}, other_row = ${one.otherRow}
       ${from} WHERE statement_rows.id = ${one.id}`,
  )

  return {
    storeOutcomes: writing(function* (accountId, version, changes) {
      if (!(yield* isAt(engine, accountId, version))) return false
      // Rows may exchange their payments: first none of them has one.
      yield* rows(
        'statements.clear',
        `UPDATE statement_rows SET payment_id = NULL WHERE ${among('id', '$1')} AND payment_id IS NOT NULL`,
        [changes.map(({ id }) => id)],
      )
      yield* leaveRows(
        { among },
        changes.flatMap(({ paymentId }) => paymentId ?? []),
      )
      yield* update(changes)
      return true
    }),

    settle: writing(function* (id, { version, summary }) {
      const found = yield* accountOf(id)
      if (!found || !(yield* isAt(engine, found.accountId, version))) return false
      yield* rows(
        'statements.settle',
        'UPDATE statements SET matched_version = $2, summary = $3 WHERE id = $1',
        [...[id, version, JSON.stringify(summary)]],
      )
      return true
    }),
  }
}

export function* accountOf(statementId: string): Act<{ accountId: string } | undefined> {
  return yield* row<{ accountId: string }>(
    'statements.accountOf',
    `SELECT account_id AS "accountId" FROM statements WHERE id = $1 AND state <> 'importing'`,
    [statementId],
  )
}

/** Locks an account. False when it has another version. */
export function* isAt({ lock }: Pick<Engine, 'lock'>, accountId: string, version: number): Act<boolean> {
  yield* lock('statements.lockAccount', 'SELECT 1 FROM bank_accounts WHERE id = $1', [accountId])
  const found = yield* row<{ version: number }>(
    'statements.version',
    'SELECT version FROM bank_accounts WHERE id = $1',
    [accountId],
  )
  return found?.version === version
}

/** Rows of the account have to be matched again. */
export function* raise(accountId: string): Act<void> {
  yield* rows('statements.raiseVersion', 'UPDATE bank_accounts SET version = version + 1 WHERE id = $1', [
    accountId,
  ])
}

/**
 * Takes payments from the rows that have them, which are of statements that have to be matched again: so no payment is of
 * two rows, at no moment.
 */
export function* leaveRows({ among }: Pick<Engine, 'among'>, paymentIds: readonly string[]): Act<void> {
  if (paymentIds.length === 0) return
  const left = yield* rows<{ statementId: string }>(
    'statements.leave',
    `UPDATE statement_rows SET payment_id = NULL, rule = NULL, bucket = 'bank_only' WHERE ${among('payment_id', '$1')}
     RETURNING statement_id AS "statementId"`,
    [paymentIds],
  )
  if (left.length > 0)
    yield* rows(
      'statements.unsettle',
      `UPDATE statements SET matched_version = NULL WHERE ${among('id', '$1')}`,
      [left.map(({ statementId }) => statementId)],
    )
}
