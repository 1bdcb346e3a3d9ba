import { and, asc, eq, max, sql } from 'drizzle-orm'
import type { AnnouncementTrail } from '../../../announcements/announcement.ts'
import type { Stage } from '../../../announcements/stages.ts'
import type { Payment } from '../../../payments/payment.ts'
import type { PaymentRecords } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { createPaymentSealer, type SealedPayment } from '../rows/sealed-payment.ts'
import { announcements, devices, payments } from '../schema/schema.ts'

type PaymentRow = typeof payments.$inferSelect
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
      return {
        payment: toPayment(row, sealer.open(row.id, row.sealed)),
        storeId: row.storeId,
        outcome: row.outcome,
        announcements: trails
          .all({ paymentRowId: row.rowId })
          .map(({ announcement, serial }) => toTrail(stages, announcement, serial)),
      }
    }),
  }
}

function toPayment(row: PaymentRow, { notice, contentHash }: SealedPayment): Payment {
  const { id, clientId, terminalID, bankCode, billNumber, paidAt, traceTransfer, ftCode } = row
  const { dedupeKey, receivedAt } = row
  const amount = String(row.amount)
  return {
    ...{ id, clientId, terminalID, bankCode, billNumber, amount, notice, paidAt, traceTransfer, ftCode },
    ...{ dedupeKey, contentHash, receivedAt },
  }
}

function toTrail(stages: readonly Stage[], row: AnnouncementRow, serial: string): AnnouncementTrail {
  const times: AnnouncementTrail['times'] = {}
  for (const stage of stages) {
    const at = row[`${stage}At`]
    if (at !== null) times[stage] = at
  }
  return { serial, n: row.n ?? undefined, stage: row.stage, times, reason: row.reason ?? undefined }
}
