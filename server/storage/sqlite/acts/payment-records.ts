import { and, asc, eq, max, sql } from 'drizzle-orm'
import type { AnnouncementTrail } from '../../../announcements/announcement.ts'
import type { Stage } from '../../../announcements/stages.ts'
import type { PaymentRecords } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { createPaymentSealer } from '../rows/sealed-payment.ts'
import { withoutNulls } from '../rows/without-nulls.ts'
import { announcements, devices, payments } from '../schema/schema.ts'

type AnnouncementRow = typeof announcements.$inferSelect

export function createPaymentRecords(
  { orm }: OpenDatabase,
  vault: Vault,
  { stages }: Pick<StorageRules, 'stages'>,
  record: PaymentRecords['record'],
): PaymentRecords {
  const sealer = createPaymentSealer(vault)
  // The index alone gives the newest payment of a code.
  const newestRowId = orm
    .select({ rowId: max(payments.rowId) })
    .from(payments)
    .where(
      and(eq(payments.clientId, sql.placeholder('clientId')), eq(payments.ftCode, sql.placeholder('ftCode'))),
    )
  const newestByFtCode = orm.select().from(payments).where(eq(payments.rowId, newestRowId)).prepare()
  const trails = orm
    .select({ announcement: announcements, serial: devices.serial })
    .from(announcements)
    .innerJoin(devices, eq(devices.rowId, announcements.deviceRowId))
    .where(eq(announcements.paymentRowId, sql.placeholder('paymentRowId')))
    .orderBy(asc(announcements.rowId))
    .prepare()

  return {
    record,

    findByFtCode: reading((clientId, ftCode) => {
      const row = newestByFtCode.get({ clientId, ftCode })
      if (!row) return undefined
      const { rowId: paymentRowId, storeId, outcome, billId, sealed, amount, ...fields } = row
      const { notice, contentHash } = sealer.open(row.id, sealed)
      return {
        payment: { ...fields, amount: String(amount), notice, contentHash },
        storeId,
        outcome,
        announcements: trails
          .all({ paymentRowId })
          .map(({ announcement, serial }) => toTrail(stages, announcement, serial)),
      }
    }),
  }
}

function toTrail(stages: readonly Stage[], row: AnnouncementRow, serial: string): AnnouncementTrail {
  const times: AnnouncementTrail['times'] = {}
  for (const stage of stages) {
    const at = row[`${stage}At`]
    if (at !== null) times[stage] = at
  }
  const { n, stage, reason } = withoutNulls(row)
  return { serial, n, stage, times, reason }
}
