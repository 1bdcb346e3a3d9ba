import type { AnnouncementTrail } from '../../../../announcements/announcement.ts'
import type { PaymentView } from '../../../../payments/ports.ts'
import type { Vault } from '../../../../security/vault.ts'
import { TRAIL_COLUMNS } from '../../../acts/payments/columns.ts'
import type { StorageRules } from '../../../rules.ts'
import {
  createPaymentMapping,
  type PaymentRow,
  type TrailRow,
  toTrail,
} from '../../../shared/payment-mapping.ts'
import type { Tx } from '../../engine/database.ts'
import { groupBy } from '../../rows/columns.ts'

/** Reads the views of these payments, with the stages of their announcements. */
export function createReadViews(vault: Vault, rules: Pick<StorageRules, 'stages'>) {
  const toView = createPaymentMapping(vault)

  return async function readViews(
    query: Tx['query'],
    rows: readonly PaymentRow[],
  ): Promise<{ rowId: number; view: PaymentView }[]> {
    if (rows.length === 0) return []
    const trails = await query<TrailRow & { paymentRowId: number; serial: string }>(
      'payments trails',
      `SELECT a.payment_number AS "paymentRowId", d.serial, ${TRAIL_COLUMNS}
       FROM announcements a JOIN devices d ON d.number = a.device_number
       WHERE a.payment_number = ANY($1::bigint[]) ORDER BY a.number`,
      [rows.map(({ rowId }) => rowId)],
    )
    const trailsOf = groupBy(trails, ({ paymentRowId }) => paymentRowId)
    return rows.map((row) => {
      const announcements = (trailsOf.get(row.rowId) ?? []).map(
        (trail): AnnouncementTrail => toTrail(rules, trail, trail.serial),
      )
      return { rowId: row.rowId, view: toView(row, announcements) }
    })
  }
}
