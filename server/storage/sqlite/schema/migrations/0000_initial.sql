CREATE TABLE vault_canary (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE partners (
  client_id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE partner_secrets (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX partner_secrets_by_client ON partner_secrets (client_id, created_at);
--> statement-breakpoint
CREATE TABLE token_families (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  newest_generation INTEGER NOT NULL,
  newest_since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX token_families_by_expiry ON token_families (expires_at);
--> statement-breakpoint
CREATE TABLE tokens (
  hash BLOB PRIMARY KEY NOT NULL,
  family_id TEXT NOT NULL REFERENCES token_families (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  generation INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used INTEGER NOT NULL CHECK (used IN (0, 1))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX tokens_by_family ON tokens (family_id);
--> statement-breakpoint
CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  phone_hash BLOB NOT NULL,
  phone BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (client_id, phone_hash)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE stores (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  user_id TEXT NOT NULL REFERENCES users (id),
  terminal_id TEXT NOT NULL,
  terminal_name TEXT NOT NULL,
  store_name TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  identity_number BLOB NOT NULL,
  bank_name TEXT NOT NULL,
  bank_code TEXT NOT NULL,
  bank_account_number BLOB NOT NULL,
  bank_account_name TEXT NOT NULL,
  phone_number BLOB NOT NULL,
  static_qr_code TEXT NOT NULL,
  total_transaction INTEGER NOT NULL DEFAULT 0,
  total_amount INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (client_id, terminal_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE devices (
  id TEXT PRIMARY KEY NOT NULL,
  serial TEXT NOT NULL UNIQUE,
  key BLOB NOT NULL,
  login_hash BLOB NOT NULL,
  n INTEGER NOT NULL DEFAULT 0,
  client_id TEXT REFERENCES partners (client_id),
  user_id TEXT REFERENCES users (id),
  device_name TEXT NOT NULL,
  rm_code TEXT NOT NULL DEFAULT '',
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  lang TEXT NOT NULL DEFAULT 'vi',
  firmware TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  settings TEXT,
  last_birth_at INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE device_stores (
  device_id TEXT NOT NULL REFERENCES devices (id),
  store_id TEXT NOT NULL REFERENCES stores (id),
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, store_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX device_stores_by_store ON device_stores (store_id);
--> statement-breakpoint
CREATE TABLE verification_codes (
  id TEXT PRIMARY KEY NOT NULL,
  device_id TEXT NOT NULL REFERENCES devices (id),
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  hash BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('outstanding', 'replaced', 'used', 'burnt')),
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX verification_codes_by_device ON verification_codes (device_id, issued_at);
--> statement-breakpoint
CREATE UNIQUE INDEX verification_codes_outstanding ON verification_codes (device_id) WHERE state = 'outstanding';
--> statement-breakpoint
CREATE TABLE verification_quotas (
  device_id TEXT PRIMARY KEY NOT NULL REFERENCES devices (id),
  period_started_at INTEGER NOT NULL,
  issued INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE bills (
  id TEXT PRIMARY KEY NOT NULL,
  store_id TEXT NOT NULL REFERENCES stores (id),
  bill_number TEXT NOT NULL,
  amount INTEGER NOT NULL,
  qrcode TEXT NOT NULL,
  paid_at INTEGER,
  mark TEXT CHECK (mark IN ('amount_mismatch', 'bill_already_paid')),
  shown_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (store_id, bill_number)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX bills_on_screen ON bills (store_id, updated_at) WHERE paid_at IS NULL;
--> statement-breakpoint
CREATE TABLE payments (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  store_id TEXT NOT NULL REFERENCES stores (id),
  bill_id TEXT REFERENCES bills (id),
  dedupe_key TEXT NOT NULL,
  content_hash BLOB NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr')),
  terminal_id TEXT NOT NULL,
  bank_code TEXT NOT NULL,
  bill_number TEXT NOT NULL,
  amount INTEGER NOT NULL,
  notice TEXT NOT NULL,
  paid_at INTEGER NOT NULL,
  trace_transfer TEXT NOT NULL,
  ft_code TEXT NOT NULL,
  answer BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  UNIQUE (client_id, dedupe_key)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX payments_by_ft_code ON payments (client_id, ft_code, received_at);
--> statement-breakpoint
CREATE TABLE announcements (
  id TEXT PRIMARY KEY NOT NULL,
  device_id TEXT NOT NULL REFERENCES devices (id),
  payment_id TEXT NOT NULL REFERENCES payments (id),
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
  missed_shown_at INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX announcements_by_number ON announcements (device_id, n);
--> statement-breakpoint
CREATE INDEX announcements_by_payment ON announcements (payment_id);
--> statement-breakpoint
CREATE INDEX announcements_open ON announcements (device_id, n) WHERE stage IN ('queued', 'sent', 'received');
--> statement-breakpoint
CREATE INDEX announcements_due ON announcements (expires_at) WHERE stage IN ('queued', 'sent', 'received');
--> statement-breakpoint
CREATE INDEX announcements_missed ON announcements (device_id) WHERE stage IN ('expired', 'failed') AND missed_shown_at IS NULL;
