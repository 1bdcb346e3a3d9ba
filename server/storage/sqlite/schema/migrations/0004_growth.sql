-- Keeps a payment's cost the same at a million of them.
-- Stores, bills and payments become tables of numbered rows. Without row numbers a table is one b-tree that holds
-- whole rows in its inner pages too: with rows of 400 to 900 bytes, four to ten children a page, a million payments
-- lay ten pages deep. What refers to a payment, some 36 bytes in every index, becomes its number.
-- One unique index finds both a payment that is reported again and the payments of a transaction code.
CREATE TABLE stores_numbered (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  user_id TEXT NOT NULL REFERENCES users (id),
  terminal_id TEXT NOT NULL,
  terminal_name TEXT NOT NULL,
  store_name TEXT NOT NULL,
  owner_name BLOB NOT NULL,
  identity_number BLOB NOT NULL,
  bank_name TEXT NOT NULL,
  bank_code TEXT NOT NULL,
  bank_account_number BLOB NOT NULL,
  bank_account_name BLOB NOT NULL,
  phone_number BLOB NOT NULL,
  static_qr_code BLOB NOT NULL,
  total_transaction INTEGER NOT NULL DEFAULT 0,
  total_amount INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (client_id, terminal_id)
) STRICT;
--> statement-breakpoint
INSERT INTO stores_numbered SELECT * FROM stores ORDER BY id;
--> statement-breakpoint
DROP TABLE stores;
--> statement-breakpoint
ALTER TABLE stores_numbered RENAME TO stores;
--> statement-breakpoint
CREATE TABLE bills_numbered (
  id TEXT PRIMARY KEY NOT NULL,
  store_id TEXT NOT NULL REFERENCES stores (id),
  bill_number TEXT NOT NULL,
  amount INTEGER NOT NULL,
  qrcode BLOB NOT NULL,
  paid_at INTEGER,
  mark TEXT CHECK (mark IN ('amount_mismatch', 'bill_already_paid')),
  shown_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (store_id, bill_number)
) STRICT;
--> statement-breakpoint
INSERT INTO bills_numbered SELECT * FROM bills ORDER BY id;
--> statement-breakpoint
DROP TABLE bills;
--> statement-breakpoint
ALTER TABLE bills_numbered RENAME TO bills;
--> statement-breakpoint
-- By the end of their time, so that the bills of years are not looked through for the one on a screen.
CREATE INDEX bills_on_screen ON bills (store_id, shown_until);
--> statement-breakpoint
CREATE TABLE payments_numbered (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  store_id TEXT NOT NULL REFERENCES stores (id),
  bill_id TEXT REFERENCES bills (id),
  dedupe_key TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr')),
  terminal_id TEXT NOT NULL,
  bank_code TEXT NOT NULL,
  bill_number TEXT NOT NULL,
  amount INTEGER NOT NULL,
  paid_at INTEGER NOT NULL,
  trace_transfer TEXT NOT NULL,
  ft_code TEXT NOT NULL,
  sealed BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  UNIQUE (client_id, ft_code, dedupe_key)
) STRICT;
--> statement-breakpoint
INSERT INTO payments_numbered (
  id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code, bill_number, amount, paid_at,
  trace_transfer, ft_code, sealed, received_at
)
SELECT
  id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code, bill_number, amount, paid_at,
  trace_transfer, ft_code, sealed, received_at
FROM payments ORDER BY id;
--> statement-breakpoint
-- Only until the announcements below have found their payments' numbers.
CREATE TABLE payment_numbers (id TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO payment_numbers SELECT id, number FROM payments_numbered;
--> statement-breakpoint
DROP TABLE payments;
--> statement-breakpoint
ALTER TABLE payments_numbered RENAME TO payments;
--> statement-breakpoint
CREATE TABLE announcements_numbered (
  id TEXT PRIMARY KEY NOT NULL,
  device_id TEXT NOT NULL REFERENCES devices (id),
  payment_number INTEGER NOT NULL REFERENCES payments (number),
  n INTEGER,
  stage TEXT NOT NULL CHECK (stage IN ('queued', 'sent', 'received', 'played', 'failed', 'expired', 'suppressed')),
  amount INTEGER NOT NULL,
  paid_bill TEXT NOT NULL,
  lang TEXT NOT NULL,
  reason TEXT,
  expires_at INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  sent_at INTEGER,
  received_at INTEGER,
  played_at INTEGER,
  failed_at INTEGER,
  expired_at INTEGER,
  suppressed_at INTEGER,
  missed_shown_at INTEGER,
  -- A final stage has its time, and no other has.
  CHECK (
    (stage = 'played') = (played_at IS NOT NULL) AND (stage = 'failed') = (failed_at IS NOT NULL)
    AND (stage = 'expired') = (expired_at IS NOT NULL) AND (stage = 'suppressed') = (suppressed_at IS NOT NULL)
  )
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO announcements_numbered
SELECT
  announcements.id, device_id, number, n, stage, amount, paid_bill, lang, reason, expires_at, queued_at, sent_at,
  received_at,
  iif(stage = 'played', coalesce(played_at, queued_at), NULL),
  iif(stage = 'failed', coalesce(failed_at, queued_at), NULL),
  iif(stage = 'expired', coalesce(expired_at, queued_at), NULL),
  iif(stage = 'suppressed', coalesce(suppressed_at, queued_at), NULL),
  missed_shown_at
FROM announcements JOIN payment_numbers ON payment_numbers.id = payment_id
ORDER BY announcements.id;
--> statement-breakpoint
DROP TABLE payment_numbers;
--> statement-breakpoint
DROP TABLE announcements;
--> statement-breakpoint
ALTER TABLE announcements_numbered RENAME TO announcements;
--> statement-breakpoint
CREATE INDEX announcements_by_payment ON announcements (payment_number);
--> statement-breakpoint
-- By the times of the final stages, which stand still while an announcement is sent and received.
CREATE UNIQUE INDEX announcements_open ON announcements (device_id, n)
  WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
--> statement-breakpoint
CREATE INDEX announcements_due ON announcements (expires_at)
  WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
--> statement-breakpoint
CREATE INDEX announcements_missed ON announcements (device_id)
  WHERE (expired_at IS NOT NULL OR failed_at IS NOT NULL) AND missed_shown_at IS NULL;
