-- Seals what can be read as an account, or as a person's name or words: QR texts (VietQR, tag 38, is the account),
-- names of owners and of account holders, a payment's notice, and the hash of a payment's content, from which
-- short notices could be guessed; of a payment as one value, as server/storage/shared/sealed-columns.ts says.
-- seal(place, value) and open(place, value) are the vault's: server/storage/sqlite/schema/migrate.ts.
CREATE TABLE stores_sealed (
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
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO stores_sealed
SELECT
  id, client_id, user_id, terminal_id, terminal_name, store_name,
  seal('stores/' || id || '/ownerName', owner_name),
  identity_number, bank_name, bank_code, bank_account_number,
  seal('stores/' || id || '/bankAccountName', bank_account_name),
  phone_number,
  seal('stores/' || id || '/staticQRCode', static_qr_code),
  total_transaction, total_amount, created_at, updated_at
FROM stores;
--> statement-breakpoint
DROP TABLE stores;
--> statement-breakpoint
ALTER TABLE stores_sealed RENAME TO stores;
--> statement-breakpoint
CREATE TABLE bills_sealed (
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
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO bills_sealed
SELECT
  id, store_id, bill_number, amount,
  seal('bills/' || id || '/qrcode', qrcode),
  paid_at, mark, shown_until, created_at, updated_at
FROM bills;
--> statement-breakpoint
DROP TABLE bills;
--> statement-breakpoint
ALTER TABLE bills_sealed RENAME TO bills;
--> statement-breakpoint
CREATE INDEX bills_on_screen ON bills (store_id, updated_at) WHERE paid_at IS NULL;
--> statement-breakpoint
CREATE TABLE payments_sealed (
  id TEXT PRIMARY KEY NOT NULL,
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
  UNIQUE (client_id, dedupe_key)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO payments_sealed
SELECT
  id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code, bill_number, amount, paid_at,
  trace_transfer, ft_code,
  seal(
    'payments/' || id || '/sealed',
    json_object(
      'answer', json(open('payments/' || id || '/answer', answer)),
      'notice', notice,
      'contentHash', lower(hex(content_hash))
    )
  ),
  received_at
FROM payments;
--> statement-breakpoint
DROP TABLE payments;
--> statement-breakpoint
ALTER TABLE payments_sealed RENAME TO payments;
--> statement-breakpoint
CREATE INDEX payments_by_ft_code ON payments (client_id, ft_code, received_at);
--> statement-breakpoint
-- What stood readable is still in the file's free pages: see server/storage/sqlite/engine/scrub.ts.
PRAGMA user_version = 1;
