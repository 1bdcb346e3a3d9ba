-- Keeps a payment's cost the same over a hundred thousand shops, each payment another one's.
-- Totals and command numbers leave the wide rows of stores and devices: a page of those held ten or fifteen, and every
-- payment wrote two of them. They stand in two tables each. A payment writes to the small one, whose few pages all
-- payments of a commit share; it is emptied into the large one in bulk (server/storage/sqlite/engine/hot-rows.ts).
-- Stores, devices and announcements get numbers to be referred to by. The index of open announcements, to which every
-- payment adds an entry wherever its device stands in it, becomes a sixth as large, and so do the links.
CREATE TABLE stores_by_number (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL UNIQUE,
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
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (client_id, terminal_id)
) STRICT;
--> statement-breakpoint
INSERT INTO stores_by_number (
  id, client_id, user_id, terminal_id, terminal_name, store_name, owner_name, identity_number, bank_name, bank_code,
  bank_account_number, bank_account_name, phone_number, static_qr_code, created_at, updated_at
)
SELECT
  id, client_id, user_id, terminal_id, terminal_name, store_name, owner_name, identity_number, bank_name, bank_code,
  bank_account_number, bank_account_name, phone_number, static_qr_code, created_at, updated_at
FROM stores ORDER BY id;
--> statement-breakpoint
-- What payments have added up to: the sum of both tables. A store that nobody has paid is in neither.
CREATE TABLE store_totals (
  store_number INTEGER PRIMARY KEY NOT NULL REFERENCES stores (number),
  total_transaction INTEGER NOT NULL,
  total_amount INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE store_totals_recent (
  store_number INTEGER PRIMARY KEY NOT NULL REFERENCES stores (number),
  total_transaction INTEGER NOT NULL,
  total_amount INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO store_totals
SELECT number, total_transaction, total_amount
FROM stores_by_number JOIN stores USING (id)
WHERE total_transaction <> 0 OR total_amount <> 0
ORDER BY number;
--> statement-breakpoint
DROP TABLE stores;
--> statement-breakpoint
ALTER TABLE stores_by_number RENAME TO stores;
--> statement-breakpoint
CREATE TABLE devices_by_number (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL UNIQUE,
  serial TEXT NOT NULL UNIQUE,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  lang TEXT NOT NULL DEFAULT 'vi',
  revoked_at INTEGER,
  key BLOB NOT NULL,
  login_hash BLOB NOT NULL,
  client_id TEXT REFERENCES partners (client_id),
  user_id TEXT REFERENCES users (id),
  device_name TEXT NOT NULL,
  rm_code TEXT NOT NULL DEFAULT '',
  firmware TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  languages TEXT NOT NULL DEFAULT '',
  desired_settings TEXT,
  reported_settings TEXT,
  settings_due INTEGER NOT NULL DEFAULT 0 CHECK (settings_due IN (0, 1)),
  identify_asked_at INTEGER,
  identified_at INTEGER,
  last_birth_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO devices_by_number (
  id, serial, active, lang, revoked_at, key, login_hash, client_id, user_id, device_name, rm_code, firmware, model,
  languages, desired_settings, reported_settings, settings_due, identify_asked_at, identified_at, last_birth_at,
  created_at
)
SELECT
  id, serial, active, lang, revoked_at, key, login_hash, client_id, user_id, device_name, rm_code, firmware, model,
  languages, desired_settings, reported_settings, settings_due, identify_asked_at, identified_at, last_birth_at,
  created_at
FROM devices ORDER BY id;
--> statement-breakpoint
-- The highest command number that was given to a device: that of the recent table where it has one, else the other's.
CREATE TABLE device_numbers (
  device_number INTEGER PRIMARY KEY NOT NULL REFERENCES devices (number),
  n INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE device_numbers_recent (
  device_number INTEGER PRIMARY KEY NOT NULL REFERENCES devices (number),
  n INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO device_numbers
SELECT number, n FROM devices_by_number JOIN devices USING (id) WHERE n <> 0 ORDER BY number;
--> statement-breakpoint
DROP TABLE devices;
--> statement-breakpoint
ALTER TABLE devices_by_number RENAME TO devices;
--> statement-breakpoint
CREATE INDEX devices_settings_due ON devices (number) WHERE settings_due = 1;
--> statement-breakpoint
CREATE INDEX devices_identify_asked ON devices (number) WHERE identify_asked_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE device_stores_by_number (
  store_number INTEGER NOT NULL REFERENCES stores (number),
  device_number INTEGER NOT NULL REFERENCES devices (number),
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (store_number, device_number)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO device_stores_by_number
SELECT stores.number, devices.number, linked_at
FROM device_stores JOIN stores ON stores.id = store_id JOIN devices ON devices.id = device_id
ORDER BY stores.number, devices.number;
--> statement-breakpoint
DROP TABLE device_stores;
--> statement-breakpoint
ALTER TABLE device_stores_by_number RENAME TO device_stores;
--> statement-breakpoint
CREATE INDEX device_stores_by_device ON device_stores (device_number);
--> statement-breakpoint
CREATE TABLE announcements_by_number (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL UNIQUE,
  device_number INTEGER NOT NULL REFERENCES devices (number),
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
) STRICT;
--> statement-breakpoint
INSERT INTO announcements_by_number (
  id, device_number, payment_number, n, stage, amount, paid_bill, lang, reason, expires_at, queued_at, sent_at,
  received_at, played_at, failed_at, expired_at, suppressed_at, missed_shown_at
)
SELECT
  announcements.id, devices.number, payment_number, n, stage, amount, paid_bill, announcements.lang, reason,
  expires_at, queued_at, sent_at, received_at, played_at, failed_at, expired_at, suppressed_at, missed_shown_at
FROM announcements CROSS JOIN devices ON devices.id = device_id
ORDER BY announcements.id;
--> statement-breakpoint
DROP TABLE announcements;
--> statement-breakpoint
ALTER TABLE announcements_by_number RENAME TO announcements;
--> statement-breakpoint
CREATE INDEX announcements_by_payment ON announcements (payment_number);
--> statement-breakpoint
-- By the times of the final stages, which stand still while an announcement is sent and received.
CREATE UNIQUE INDEX announcements_open ON announcements (device_number, n)
  WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
--> statement-breakpoint
CREATE INDEX announcements_due ON announcements (expires_at)
  WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
--> statement-breakpoint
CREATE INDEX announcements_missed ON announcements (device_number)
  WHERE (expired_at IS NOT NULL OR failed_at IS NOT NULL) AND missed_shown_at IS NULL;
