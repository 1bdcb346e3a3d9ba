import { and, eq, max, sql } from 'drizzle-orm'
import type { PaymentRecords, PaymentView } from '../../../payments/ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { payments } from '../schema/schema.ts'

export function createPaymentRecords(
  { orm }: OpenDatabase,
  toView: (row: typeof payments.$inferSelect) => PaymentView,
  record: PaymentRecords['record'],
): PaymentRecords {
  // The index alone gives the newest payment of a code.
  const newestRowId = orm
    .select({ rowId: max(payments.rowId) })
    .from(payments)
    .where(
      and(eq(payments.clientId, sql.placeholder('clientId')), eq(payments.ftCode, sql.placeholder('ftCode'))),
    )
  const newestByFtCode = orm.select().from(payments).where(eq(payments.rowId, newestRowId)).prepare()

  return {
    record,

    findByFtCode: reading((clientId, ftCode) => {
      const row = newestByFtCode.get({ clientId, ftCode })
      return row && toView(row)
    }),
  }
}
