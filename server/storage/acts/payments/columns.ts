/** The columns of a PaymentRow, of `payments p`. */
export const PAYMENT_COLUMNS = `p.number AS "rowId", p.id, p.client_id AS "clientId", p.store_id AS "storeId",
  p.bill_id AS "billId", p.dedupe_key AS "dedupeKey", p.outcome, p.terminal_id AS "terminalID",
  p.bank_code AS "bankCode", p.bill_number AS "billNumber", p.amount, p.paid_at AS "paidAt",
  p.trace_transfer AS "traceTransfer", p.ft_code AS "ftCode", p.sealed, p.received_at AS "receivedAt"`

/** The columns of a TrailRow, of `announcements a`. */
export const TRAIL_COLUMNS = `a.n, a.stage, a.reason, a.queued_at AS "queuedAt", a.sent_at AS "sentAt",
  a.received_at AS "receivedAt", a.played_at AS "playedAt", a.failed_at AS "failedAt", a.expired_at AS "expiredAt",
  a.suppressed_at AS "suppressedAt"`
