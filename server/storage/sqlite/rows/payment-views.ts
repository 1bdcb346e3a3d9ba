import { asc, eq, sql } from 'drizzle-orm'
import type { AnnouncementTrail } from '../../../announcements/announcement.ts'
import type { PaymentView } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import type { Orm } from '../engine/database.ts'
import { announcements, devices, type payments } from '../schema/schema.ts'
import { createPaymentSealer } from './sealed-payment.ts'
import { withoutNulls } from './without-nulls.ts'

type PaymentRow = typeof payments.$inferSelect
type AnnouncementRow = typeof announcements.$inferSelect

/** Reads a payment with the stages of its announcements. */
export function createPaymentViews(orm: Orm, vault: Vault, rules: Pick<StorageRules, 'stages'>) {
  const sealer = createPaymentSealer(vault)
  const trails = orm
    .select({ announcement: announcements, serial: devices.serial })
    .from(announcements)
    .innerJoin(devices, eq(devices.rowId, announcements.deviceRowId))
    .where(eq(announcements.paymentRowId, sql.placeholder('paymentRowId')))
    .orderBy(asc(announcements.rowId))
    .prepare()

  return function toView(row: PaymentRow): PaymentView {
    const { rowId: paymentRowId, storeId, outcome, billId, sealed, amount, ...fields } = row
    const { notice, contentHash } = sealer.open(row.id, sealed)
    return {
      payment: { ...fields, amount: String(amount), notice, contentHash },
      storeId,
      outcome,
      announcements: trails
        .all({ paymentRowId })
        .map(({ announcement, serial }) => toTrail(rules, announcement, serial)),
    }
  }
}

export function toTrail(
  { stages }: Pick<StorageRules, 'stages'>,
  row: AnnouncementRow,
  serial: string,
): AnnouncementTrail {
  const times: AnnouncementTrail['times'] = {}
  for (const stage of stages) {
    const at = row[`${stage}At`]
    if (at !== null) times[stage] = at
  }
  const { n, stage, reason } = withoutNulls(row)
  return { serial, n, stage, times, reason }
}
