import type { StatementRecords } from '../../../reconciliation/ports.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'

/** Where rows stand: as they are matched, as people decide, and as they sign. */
export function createStatementOutcomes(
  engine: Engine,
): Pick<StatementRecords, 'storeOutcomes' | 'settle' | 'decide' | 'sign'> {
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

  /** Locks an account. False when it has another version. */
  function* isAt(accountId: string, version: number): Act<boolean> {
    yield* engine.lock('statements.lockAccount', 'SELECT 1 FROM bank_accounts WHERE id = $1', [accountId])
    const found = yield* row<{ version: number }>(
      'statements.version',
      'SELECT version FROM bank_accounts WHERE id = $1',
      [accountId],
    )
    return found?.version === version
  }

  return {
    storeOutcomes: writing(function* (accountId, version, changes) {
      if (!(yield* isAt(accountId, version))) return false
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
      if (!found || !(yield* isAt(found.accountId, version))) return false
      yield* rows(
        'statements.settle',
        'UPDATE statements SET matched_version = $2, summary = $3 WHERE id = $1',
        [...[id, version, JSON.stringify(summary)]],
      )
      return true
    }),

    decide: writing(function* (by, { statementId, n }, decision, at) {
      const statement = yield* accountOf(statementId)
      if (!statement) return { kind: 'not_found' }
      const { accountId } = statement
      yield* engine.lock('statements.lockAccount', 'SELECT 1 FROM bank_accounts WHERE id = $1', [accountId])
      const before = yield* row<{ id: string; bucket: 'matched'; amount: number; direction: string }>(
        'statements.toDecide',
        'SELECT id, bucket, amount, direction FROM statement_rows WHERE statement_id = $1 AND n = $2',
        [statementId, n],
      )
      if (!before) return { kind: 'not_found' }
      const { id, bucket, amount, direction } = before
      if (direction !== 'credit' || ['repeated', 'reversed', 'other'].includes(bucket))
        return { kind: 'not_open', bucket }
      if (decision !== 'none') {
        const holder = yield* row<{ id: string }>(
          'statements.holder',
          'SELECT id FROM statement_rows WHERE payment_id = $1 AND id <> $2',
          [decision.id, id],
        )
        if (holder) return { kind: 'taken', row: holder.id }
        yield* addPayment(accountId, decision)
      }
      const after = bucketOf(decision, amount)
      const who = by.kind === 'operator' ? by.name : by.kind === 'partner' ? by.clientId : by.kind
      const [paymentId, paid] = decision === 'none' ? [undefined, undefined] : [decision.id, decision.amount]
      yield* rows(
        'statements.decide',
        `UPDATE statement_rows SET bucket = $2, rule = 'decided', payment_id = $3, proposed_id = NULL,
           decision = coalesce($3, ''), decision_amount = $4, decided_by = $5, decided_at = $6 WHERE id = $1`,
        [id, after, paymentId, paid, who, at],
      )
      yield* raise(accountId)
      const details = { row: n, payment: paymentId ?? 'none', bucket: [bucket, after] }
      yield* noteChange({ by, at, action: 'statement.decide', subject: statementId, details })
      return { kind: 'decided', bucket: after }
    }),

    sign: writing(function* (by, { id, statementId, at, note, hash, snapshot }, version) {
      const found = yield* accountOf(statementId)
      if (!found || !(yield* isAt(found.accountId, version))) return false
      const signedBy = by.kind === 'operator' ? by.name : by.kind === 'partner' ? by.clientId : by.kind
      yield* rows(
        'statements.addSignOff',
        `INSERT INTO signoffs (id, statement_id, at, signed_by, note, hash, snapshot)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, statementId, at, signedBy, note, hash, snapshot],
      )
      yield* rows('statements.signed', `UPDATE statements SET state = 'signed' WHERE id = $1`, [statementId])
      yield* noteChange({ by, at, action: 'statement.sign', subject: statementId, details: { hash } })
      return true
    }),
  }
}

/** With the amount of its row a payment matches it. */
function bucketOf(decision: { amount: number } | 'none', amount: number) {
  if (decision === 'none') return 'bank_only' as const
  return decision.amount === amount ? ('matched' as const) : ('differs' as const)
}

function* accountOf(statementId: string): Act<{ accountId: string } | undefined> {
  return yield* row<{ accountId: string }>(
    'statements.accountOf',
    `SELECT account_id AS "accountId" FROM statements WHERE id = $1 AND state <> 'importing'`,
    [statementId],
  )
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

function* addPayment(
  accountId: string,
  {
    id,
    paidAt,
    amount,
    ftCode,
    traceTransfer,
    billNumber,
    terminalID,
  }: Exclude<Parameters<StatementRecords['decide']>[2], 'none'>,
): Act<void> {
  yield* rows(
    'statements.addPayment',
    `INSERT INTO account_payments (id, account_id, paid_at, amount, ft_code, trace_transfer, bill_number, terminal_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
    [id, accountId, paidAt, amount, ftCode, traceTransfer, billNumber, terminalID],
  )
}
