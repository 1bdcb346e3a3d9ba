import { asc, eq, sql } from 'drizzle-orm'
import type { PaymentView } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import { createPaymentMapping, type PaymentRow, toTrail } from '../../shared/payment-mapping.ts'
import type { Orm } from '../engine/database.ts'
import { announcements, devices } from '../schema/schema.ts'

/** Reads a payment with the stages of its announcements. */
export function createPaymentViews(orm: Orm, vault: Vault, rules: Pick<StorageRules, 'stages'>) {
  const toView = createPaymentMapping(vault)
  const trails = orm
    .select({ announcement: announcements, serial: devices.serial })
    .from(announcements)
    .innerJoin(devices, eq(devices.rowId, announcements.deviceRowId))
    .where(eq(announcements.paymentRowId, sql.placeholder('paymentRowId')))
    .orderBy(asc(announcements.rowId))
    .prepare()

  return (row: PaymentRow): PaymentView =>
    toView(
      row,
      trails
        .all({ paymentRowId: row.rowId })
        .map(({ announcement, serial }) => toTrail(rules, announcement, serial)),
    )
}
