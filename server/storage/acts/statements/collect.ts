import { BEYOND_MS } from '../../../reconciliation/match/model.ts'
import { plainAccount } from '../../../reconciliation/model/statement.ts'
import type { KnownPayment, StatementRecords } from '../../../reconciliation/ports.ts'
import { createPaymentSealer } from '../../shared/sealed-columns.ts'
import { createStatementMapping, PAYMENT } from '../../shared/statement-mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { boundsOf } from '../lists/numbered-rows.ts'
import { nextRows, placed, type Range, walkBack } from '../lists/walk-back.ts'
import { findAccount } from './imports.ts'
import { raise } from './outcomes.ts'

/** A callback may date its payment so far ahead, and the bank's clock differs from the hub's. */
const AHEAD_MS = 2 * BEYOND_MS

/** Payments that are unsealed at once: two milliseconds. */
const AT_ONCE = 250

interface Found extends KnownPayment {
  rowId: number
  sealed: Buffer
}

/** Of a partner's payments, those of an account: it is in each payment, sealed, as it was then. */
function createAccountPayments({ vault, unindexed }: Pick<Engine, 'vault' | 'unindexed'>) {
  const sealer = createPaymentSealer(vault)
  return function* within(
    { from: first, below, limit }: Range & { limit: number },
    { clientId, account, from, until }: { clientId: string; account: string; from: number; until: number },
  ): Act<{ found: Found[]; upTo: number }> {
    const found = yield* rows<Found>(
      'statements.payments of a partner',
      `SELECT p.number AS "rowId", p.sealed, ${PAYMENT} FROM payments p
       WHERE p.number >= $1 AND p.number < $2 AND ${unindexed}p.client_id = $3 AND p.paid_at >= $4 AND p.paid_at < $5
       ORDER BY p.number LIMIT $6`,
      [first, below, clientId, from, until, limit],
    )
    const own = found.filter(
      ({ id, sealed }) => plainAccount(sealer.open(id, sealed).answer.bankAccountNumber) === account,
    )
    // Where the limit has ended it, the rest is for the next page.
    return { found: own, upTo: found.length < limit ? below : (found.at(-1)?.rowId ?? first) + 1 }
  }
}

/** Copies those payments that belong to the account of a statement. */
export function createCollecting(engine: Engine): Pick<StatementRecords, 'collect'> {
  const { inPages, perRow, scanned, lateNumbers } = engine
  const mapping = createStatementMapping(engine.vault)
  const within = createAccountPayments(engine)
  const copy = perRow(
    'statements.copy',
    {
      ...({ id: 'text', accountId: 'text', paidAt: 'bigint', amount: 'bigint', ftCode: 'text' } as const),
      ...({ traceTransfer: 'text', billNumber: 'text', terminalID: 'text' } as const),
    },
    (one, { from }) =>
      `INSERT INTO account_payments (id, account_id, paid_at, amount, ft_code, trace_transfer, bill_number, terminal_id)
       SELECT ${one.id}, ${one.accountId}, ${one.paidAt}, ${one.amount}, ${one.ftCode}, ${one.traceTransfer},
         ${one.billNumber}, ${one.terminalID} ${from || 'WHERE true'} ON CONFLICT (id) DO NOTHING RETURNING id`,
  )

  /** The numbers that a statement has not seen. In PostgreSQL a lower one may be committed later. */
  function* unseen(seenUpTo: number, fromAt: number): Act<{ least: number; highest: number }> {
    const { least, highest } = yield* boundsOf('payments', seenUpTo > 0 ? {} : { from: fromAt - AHEAD_MS })
    if (seenUpTo === 0) return { least, highest }
    if (lateNumbers === 0) return { least: seenUpTo + 1, highest }
    const late = yield* row<{ number: number }>(
      'statements.late',
      `SELECT number FROM payments WHERE number <= $1 ORDER BY number DESC LIMIT 1 OFFSET ${lateNumbers}`,
      [seenUpTo],
    )
    return { least: late?.number ?? least, highest }
  }

  /** Copies the payments of the next numbers. Returns where the page after it begins. */
  function* collectPage(id: string, from: number | undefined): Act<number | undefined> {
    const statement = yield* row<Seen>(
      'statements.seen',
      `SELECT s.client_id AS "clientId", s.account_id AS "accountId", a.account, s.from_at AS "fromAt",
         s.until_at AS "untilAt", s.seen_up_to AS "seenUpTo"
       FROM statements s JOIN bank_accounts a ON a.id = s.account_id WHERE s.id = $1`,
      [id],
    )
    if (!statement) return undefined
    const { clientId, accountId, fromAt, untilAt } = statement
    const { least, highest } = yield* unseen(statement.seenUpTo, fromAt)
    const first = yield* row<{ number: number | null }>(
      'statements.nextPayment',
      'SELECT min(number) AS number FROM payments WHERE number >= $1',
      [from ?? least],
    )
    const start = first?.number ?? highest + 1
    let below = Math.min(start + scanned, highest + 1)
    if (start < below) {
      const account = mapping.readAccount(accountId, statement.account)
      const time = { from: fromAt - BEYOND_MS, until: untilAt + BEYOND_MS }
      const range = { from: start, below, limit: AT_ONCE }
      const { found, upTo } = yield* within(range, { clientId, account, ...time })
      below = upTo
      const copied = yield* copy<{ id: string }>(found.map((one) => ({ ...one, accountId })))
      if (copied.length > 0) yield* raise(accountId)
    }
    if (below <= highest) return below
    yield* rows('statements.seenUpTo', 'UPDATE statements SET seen_up_to = $2 WHERE id = $1', [id, highest])
    return undefined
  }

  return {
    collect: (id) =>
      inPages<{ from: number | undefined }, undefined>({ from: undefined }, function* ({ from }) {
        const next = yield* collectPage(id, from)
        return { value: undefined, next: next === undefined ? undefined : { from: next } }
      }),
  }
}

/** The payments of an account among which a person chooses. */
export function createAccountChoices(engine: Engine): Pick<StatementRecords, 'payment' | 'paymentsOf'> {
  const { reading } = engine
  const within = createAccountPayments(engine)

  return {
    payment: reading(function* (clientId, account, id) {
      // It may be deleted, and still be that of a statement.
      const kept = yield* row<KnownPayment>(
        'statements.keptPayment',
        `SELECT ${PAYMENT} FROM account_payments p WHERE p.id = $1 AND p.account_id = $2`,
        [id, yield* findAccount(engine, clientId, account)],
      )
      if (kept) return kept
      const madeAt = timeOf(id)
      if (madeAt === undefined) return undefined
      const { least, below } = yield* boundsOf('payments', {
        from: madeAt - HOUR_MS,
        until: madeAt + HOUR_MS,
      })
      const found = yield* row<Found>(
        'statements.payment',
        `SELECT p.number AS "rowId", p.sealed, ${PAYMENT} FROM payments p
         WHERE p.number >= $1 AND p.number < $2 AND p.id = $3 AND ${engine.unindexed}p.client_id = $4`,
        [least, below, id, clientId],
      )
      return found && isOf(engine, found, account) ? toKnown(found) : undefined
    }),

    paymentsOf: reading(function* (clientId, account, time, page) {
      const bounds = yield* boundsOf('payments', { from: time.from - AHEAD_MS })
      const walked = yield* walkBack(
        page,
        bounds,
        function* (range) {
          const { found } = yield* within({ ...range, limit: AT_ONCE }, { clientId, account, ...time })
          return found.toReversed()
        },
        nextRows('payments', AT_ONCE),
      )
      return placed(walked, toKnown)
    }),
  }
}

const HOUR_MS = 60 * 60_000

interface Seen {
  clientId: string
  accountId: string
  account: Buffer
  fromAt: number
  untilAt: number
  seenUpTo: number
}

function isOf({ vault }: Pick<Engine, 'vault'>, { id, sealed }: Found, account: string): boolean {
  return plainAccount(createPaymentSealer(vault).open(id, sealed).answer.bankAccountNumber) === account
}

function toKnown({ rowId: _, sealed: __, ...payment }: Found): KnownPayment {
  return payment
}

/** When an id was made: it is a UUID of version 7. */
function timeOf(id: string): number | undefined {
  const [, high = '', low = ''] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? []
  return high === '' ? undefined : Number.parseInt(high + low, 16)
}
