import type { AnnouncementTrail } from '../../../../announcements/announcement.ts'
import type { PaymentView } from '../../../../payments/ports.ts'
import type { Vault } from '../../../../security/vault.ts'
import type { StorageRules } from '../../../rules.ts'
import {
  createPaymentMapping,
  type PaymentRow,
  type TrailRow,
  toTrail,
} from '../../../shared/payment-mapping.ts'
import type { Tx } from '../../engine/database.ts'
import { groupBy } from '../../rows/columns.ts'

/** The columns of a PaymentRow, of `payments p`. */
export const PAYMENT_COLUMNS = `p.number AS "rowId", p.id, p.client_id AS "clientId", p.store_id AS "storeId",
  p.bill_id AS "billId", p.dedupe_key AS "dedupeKey", p.outcome, p.terminal_id AS "terminalID",
  p.bank_code AS "bankCode", p.bill_number AS "billNumber", p.amount, p.paid_at AS "paidAt",
  p.trace_transfer AS "traceTransfer", p.ft_code AS "ftCode", p.sealed, p.received_at AS "receivedAt"`

/** The columns of a TrailRow, of `announcements a`. */
export const TRAIL_COLUMNS = `a.n, a.stage, a.reason, a.queued_at AS "queuedAt", a.sent_at AS "sentAt",
  a.received_at AS "receivedAt", a.played_at AS "playedAt", a.failed_at AS "failedAt", a.expired_at AS "expiredAt",
  a.suppressed_at AS "suppressedAt"`

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
