import { and, desc, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Stage } from '../../../announcements/stages.ts'
import type { PaymentFilter, PaymentLists, PaymentView } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type SumRow, toSum } from '../../shared/payment-mapping.ts'
import {
  allRows,
  type ChooseRange,
  halving,
  LOOKED_AT,
  nextRows,
  numbersBetween,
  placed,
  walkBack,
} from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { PaymentDigests } from '../rows/payment-digests.ts'
import { announcements, devices, partners, payments } from '../schema/schema.ts'

/** A partner's payments of one code: several banks may use it. */
const OF_ONE_CODE = 20
/** Payments that one call adds up: a millisecond. Their sum is below 2^63. */
const ADDED_UP = 512

export function createPaymentLists(
  { orm }: OpenDatabase,
  toView: (row: typeof payments.$inferSelect) => PaymentView,
  digests: Pick<PaymentDigests, 'chooser'>,
  rules: Pick<StorageRules, 'stages'>,
): PaymentLists {
  const { rowId } = payments
  const sqlite = orm.$client
  const ends = sqlite.prepare<[], { lowest: number; highest: number }>(
    `SELECT coalesce((SELECT min(number) FROM payments), 0) AS lowest,
       coalesce((SELECT max(number) FROM payments), 0) AS highest`,
  )
  const first = sqlite.prepare<[number: number], { rowId: number; at: number }>(
    'SELECT number AS rowId, received_at AS at FROM payments WHERE number >= ? ORDER BY number LIMIT 1',
  )
  const unsaid = sqlite
    .prepare<[stage: Stage, below: number], number | null>(
      `SELECT max(payment_number) FROM announcements
       WHERE stage IN ('failed', 'expired', 'suppressed') AND stage = ? AND payment_number < ?`,
    )
    .pluck()
  const byFtCode = orm
    .select()
    .from(payments)
    .where(
      and(eq(payments.clientId, sql.placeholder('clientId')), eq(payments.ftCode, sql.placeholder('ftCode'))),
    )
    .limit(OF_ONE_CODE)
    .prepare()
  const clientIds = orm.select({ clientId: partners.clientId }).from(partners).prepare()
  const sums = sqlite.prepare<Record<string, string | number>, SumRow>(
    `SELECT g.storeId, s.terminal_id AS terminalID, s.store_name AS storeName, g.stages, g.count, g.amount
     FROM (
       SELECT storeId, stages, count(*) AS count, cast(sum(amount) AS text) AS amount
       FROM (
         SELECT p.store_id AS storeId, p.amount, (
           SELECT group_concat(DISTINCT a.stage) FROM announcements a WHERE a.payment_number = p.number
         ) AS stages
         FROM payments p
         WHERE p.number >= @least AND p.number < @below AND +p.client_id = @clientId
           AND p.received_at >= @from AND p.received_at < @until
           AND p.store_id >= @leastStoreId AND p.store_id < @belowStoreId
       )
       GROUP BY storeId, stages
     ) g JOIN stores s ON s.id = g.storeId`,
  )

  const range = (filter: Pick<PaymentFilter, 'from' | 'until'>) => {
    const both = ends.get() ?? { lowest: 0, highest: 0 }
    return numbersBetween(
      filter,
      both,
      halving((number) => first.get(number)),
    )
  }

  /** Chooses the rows of a search by what tells the most of its filter. */
  function chooser(filter: PaymentFilter): ChooseRange | undefined {
    const { stage, ftCode } = filter
    if (ftCode !== undefined) return allRows
    if (stage === 'failed' || stage === 'expired' || stage === 'suppressed')
      return (top, least) => nextRows(LOOKED_AT)(Math.max(least, (unsaid.get(stage, top) ?? -1) + 1), least)
    return digests.chooser(filter, ends.get()?.highest ?? 0)
  }

  return {
    page: reading(async (filter, page) => {
      const matches = conditions(filter)
      const read = (window: { from: number; below: number; limit: number }) =>
        orm
          .select()
          .from(payments)
          .where(and(sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`, ...matches))
          .orderBy(desc(rowId))
          .limit(window.limit)
          .all()
      return placed(await walkBack(page, await range(filter), read, chooser(filter)), toView)
    }),

    findByFtCode: reading((ftCode) =>
      clientIds.all().flatMap(({ clientId }) => byFtCode.all({ clientId, ftCode }).map(toView)),
    ),

    addUp: reading(async ({ clientId, from, until, leastStoreId, belowStoreId }, after) => {
      const bounds = await range({ from, until })
      const below = Math.min(bounds.below, after === undefined ? bounds.below : Number(after))
      const least = Math.max(bounds.least, below - ADDED_UP)
      const rows =
        below > least ? sums.all({ least, below, clientId, from, until, leastStoreId, belowStoreId }) : []
      return {
        sums: rows.map((row) => toSum(rules, row)),
        next: least > bounds.least ? String(least) : undefined,
      }
    }),
  }
}

/** `+` keeps SQLite from an index by which the rows would have to be sorted. */
function conditions(filter: PaymentFilter): (SQL | undefined)[] {
  const { clientId, ftCode, serial, code, stage, from, until, minAmount, maxAmount } = filter
  const { rowId, id, traceTransfer, billNumber, receivedAt, amount } = payments
  const announced = (condition: SQL) => sql`exists (
    select 1 from ${announcements} where ${announcements.paymentRowId} = ${rowId} and ${condition}
  )`
  const equal = (
    ['storeId', 'terminalID', 'bankCode', 'billNumber', 'traceTransfer', 'id', 'outcome'] as const
  )
    .filter((name) => filter[name] !== undefined)
    .map((name) => sql`${payments[name]} = ${filter[name]}`)
  return [
    clientId === undefined
      ? undefined
      : ftCode === undefined
        ? sql`+${payments.clientId} = ${clientId}`
        : and(eq(payments.clientId, clientId), eq(payments.ftCode, ftCode)),
    ...equal,
    code === undefined ? undefined : or(eq(id, code), eq(traceTransfer, code), eq(billNumber, code)),
    serial === undefined
      ? undefined
      : announced(
          sql`${announcements.deviceRowId} = (select ${devices.rowId} from ${devices} where ${devices.serial} = ${serial})`,
        ),
    stage === undefined ? undefined : announced(sql`+${announcements.stage} = ${stage}`),
    minAmount === undefined ? undefined : gte(amount, minAmount),
    maxAmount === undefined ? undefined : lte(amount, maxAmount),
    from === undefined ? undefined : gte(receivedAt, from),
    until === undefined ? undefined : lt(receivedAt, until),
  ]
}
