/** The columns of a whole store `s`. Needs `STORE_TOTALS` beside it. The sums are texts: they may be above 2^53. */
export const STORE_COLUMNS = `s.id, s.client_id AS "clientId", s.user_id AS "userId", s.terminal_id AS "terminalID",
  s.terminal_name AS "terminalName", s.store_name AS "storeName", s.owner_name AS "ownerName",
  s.identity_number AS "identityNumber", s.bank_name AS "bankName", s.bank_code AS "bankCode",
  s.bank_account_number AS "bankAccountNumber", s.bank_account_name AS "bankAccountName",
  s.phone_number AS "phoneNumber", s.static_qr_code AS "staticQRCode",
  coalesce(t.total_transaction, 0)::text AS "totalTransaction", coalesce(t.total_amount, 0)::text AS "totalAmount"`
export const STORE_TOTALS = 'LEFT JOIN store_totals t ON t.store_number = s.number'
