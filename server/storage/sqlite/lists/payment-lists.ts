import { and, asc, desc, eq, gte, lt, max, or, type SQL, sql } from 'drizzle-orm'
import type { PaymentFilter, PaymentLists, PaymentView } from '../../../payments/ports.ts'
import { numbersBetween, placed, walkBack } from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { announcements, devices, partners, payments } from '../schema/schema.ts'

/** A partner's payments of one code: several banks may use it. */
const OF_ONE_CODE = 20

export function createPaymentLists(
  { orm }: OpenDatabase,
  toView: (row: typeof payments.$inferSelect) => PaymentView,
): PaymentLists {
  const { rowId, receivedAt } = payments
  const highest = orm
    .select({ rowId: max(rowId) })
    .from(payments)
    .prepare()
  const first = orm
    .select({ rowId, at: receivedAt })
    .from(payments)
    .where(gte(rowId, sql.placeholder('number')))
    .orderBy(asc(rowId))
    .limit(1)
    .prepare()
  const byFtCode = orm
    .select()
    .from(payments)
    .where(
      and(eq(payments.clientId, sql.placeholder('clientId')), eq(payments.ftCode, sql.placeholder('ftCode'))),
    )
    .limit(OF_ONE_CODE)
    .prepare()
  const clientIds = orm.select({ clientId: partners.clientId }).from(partners).prepare()

  return {
    page: reading(async (filter, page) => {
      const bounds = await numbersBetween(filter, highest.get()?.rowId ?? 0, (number) =>
        first.get({ number }),
      )
      const matches = conditions(filter)
      const found = await walkBack(page, bounds, (window) => {
        const inWindow = sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`
        return orm
          .select()
          .from(payments)
          .where(and(inWindow, ...matches))
          .orderBy(desc(rowId))
          .limit(window.limit)
          .all()
      })
      return placed(found, toView)
    }),

    findByFtCode: reading((ftCode) =>
      clientIds.all().flatMap(({ clientId }) => byFtCode.all({ clientId, ftCode }).map(toView)),
    ),
  }
}

/** `+` keeps SQLite from an index by which the rows would have to be sorted. */
function conditions(filter: PaymentFilter): (SQL | undefined)[] {
  const { clientId, storeId, terminalID, serial, code, from, until } = filter
  const { rowId, id, traceTransfer, billNumber, receivedAt } = payments
  const announced = (deviceSerial: string) => sql`exists (
    select 1 from ${announcements} where ${announcements.paymentRowId} = ${rowId} and ${announcements.deviceRowId} =
      (select ${devices.rowId} from ${devices} where ${devices.serial} = ${deviceSerial})
  )`
  return [
    clientId === undefined ? undefined : sql`+${payments.clientId} = ${clientId}`,
    storeId === undefined ? undefined : eq(payments.storeId, storeId),
    terminalID === undefined ? undefined : eq(payments.terminalID, terminalID),
    code === undefined ? undefined : or(eq(id, code), eq(traceTransfer, code), eq(billNumber, code)),
    serial === undefined ? undefined : announced(serial),
    from === undefined ? undefined : gte(receivedAt, from),
    until === undefined ? undefined : lt(receivedAt, until),
  ]
}
