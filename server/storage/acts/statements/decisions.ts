import type { StatementRecords } from '../../../reconciliation/ports.ts'
import type { Actor } from '../../../security/actor.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { accountOf, isAt, raise } from './outcomes.ts'

/** Where rows stand as people decide, and the statements that they sign. */
export function createDecisions({ writing, lock }: Engine): Pick<StatementRecords, 'decide' | 'sign'> {
  return {
    decide: writing(function* (by, { statementId, n }, decision, at) {
      const statement = yield* accountOf(statementId)
      if (!statement) return { kind: 'not_found' }
      const { accountId } = statement
      yield* lock('statements.lockAccount', 'SELECT 1 FROM bank_accounts WHERE id = $1', [accountId])
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
      const [paymentId, paid] = decision === 'none' ? [undefined, undefined] : [decision.id, decision.amount]
      yield* rows(
        'statements.decide',
        `UPDATE statement_rows SET bucket = $2, rule = 'decided', payment_id = $3, proposed_id = NULL,
           decision = coalesce($3, ''), decision_amount = $4, decided_by = $5, decided_at = $6 WHERE id = $1`,
        [id, after, paymentId, paid, nameOf(by), at],
      )
      yield* raise(accountId)
      const details = { row: n, payment: paymentId ?? 'none', bucket: [bucket, after] }
      yield* noteChange({ by, at, action: 'statement.decide', subject: statementId, details })
      return { kind: 'decided', bucket: after }
    }),

    sign: writing(function* (by, { id, statementId, at, note, hash, snapshot }, version) {
      const found = yield* accountOf(statementId)
      if (!found || !(yield* isAt({ lock }, found.accountId, version))) return false
      yield* rows(
        'statements.addSignOff',
        `INSERT INTO signoffs (id, statement_id, at, signed_by, note, hash, snapshot)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, statementId, at, nameOf(by), note, hash, snapshot],
      )
      yield* rows('statements.signed', `UPDATE statements SET state = 'signed' WHERE id = $1`, [statementId])
      yield* noteChange({ by, at, action: 'statement.sign', subject: statementId, details: { hash } })
      return true
    }),
  }
}

const nameOf = (by: Actor) =>
  by.kind === 'operator' ? by.name : by.kind === 'partner' ? by.clientId : by.kind

/** With the amount of its row a payment matches it. */
function bucketOf(decision: { amount: number } | 'none', amount: number) {
  if (decision === 'none') return 'bank_only' as const
  return decision.amount === amount ? ('matched' as const) : ('differs' as const)
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
