-- Makes a payment touch no wide row of its shop and its speaker.
-- What it wrote was looked up in what it referred to: stores by id, stores and devices by number, three places in no
-- order of tables of a hundred megabytes. The till is read, or known to be what it was, in the transaction that writes
-- the payment, and no store, device or partner is ever deleted: these references go. Nothing in the file changes but
-- their text (SQLite's own recipe: lang_altertable, section 7), and the tables made below tell other connections.
PRAGMA writable_schema = ON;
--> statement-breakpoint
UPDATE sqlite_schema
SET sql = replace(replace(sql, ' REFERENCES partners (client_id)', ''), ' REFERENCES stores (id)', '')
WHERE type = 'table' AND name = 'payments';
--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES devices (number)', '')
WHERE type = 'table' AND name IN ('announcements', 'device_numbers_recent');
--> statement-breakpoint
UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES stores (number)', '')
WHERE type = 'table' AND name = 'store_totals_recent';
--> statement-breakpoint
PRAGMA writable_schema = RESET;
--> statement-breakpoint
-- What a payment needs of its till (the store, its speakers) is kept in the memory of whoever writes payments, and must
-- never be stale there: see server/storage/sqlite/rows/stores.ts. Every change of it, by whichever statement of whichever
-- process, raises a revision here. There are 256 of them, each for the stores of so many numbers, so that a change
-- has few tills read anew; all stand on one page.
CREATE TABLE till_revisions (
  bucket INTEGER PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
WITH RECURSIVE buckets (bucket) AS (SELECT 0 UNION ALL SELECT bucket + 1 FROM buckets WHERE bucket < 255)
INSERT INTO till_revisions SELECT bucket, 0 FROM buckets;
--> statement-breakpoint
CREATE TRIGGER tills_store_updated
AFTER UPDATE OF
  number, id, client_id, terminal_id, bank_name, bank_code, bank_account_number, bank_account_name, static_qr_code
ON stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1 WHERE bucket IN (old.number & 255, new.number & 255);
END;
--> statement-breakpoint
CREATE TRIGGER tills_store_deleted AFTER DELETE ON stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1 WHERE bucket = old.number & 255;
END;
--> statement-breakpoint
-- REPLACE fires no trigger for the row that it deletes (recursive_triggers is off by default), so what it is about to
-- delete is looked for before it: by whatever is unique. An INSERT of what is not there yet finds nothing. The hub has
-- no REPLACE; of what an UPDATE OR REPLACE deletes, nothing is told.
CREATE TRIGGER tills_store_replaced BEFORE INSERT ON stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1
  WHERE bucket IN (
    SELECT number & 255 FROM stores
    WHERE number = new.number OR id = new.id OR (client_id = new.client_id AND terminal_id = new.terminal_id)
  );
END;
--> statement-breakpoint
CREATE TRIGGER tills_speaker_linked AFTER INSERT ON device_stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1 WHERE bucket = new.store_number & 255;
END;
--> statement-breakpoint
CREATE TRIGGER tills_speaker_moved AFTER UPDATE ON device_stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1 WHERE bucket IN (old.store_number & 255, new.store_number & 255);
END;
--> statement-breakpoint
CREATE TRIGGER tills_speaker_unlinked AFTER DELETE ON device_stores
BEGIN
  UPDATE till_revisions SET revision = revision + 1 WHERE bucket = old.store_number & 255;
END;
--> statement-breakpoint
-- Reports of a device write its language each time, and most write the same.
CREATE TRIGGER tills_speaker_updated
AFTER UPDATE OF number, id, serial, active, lang, revoked_at ON devices
WHEN old.number <> new.number OR old.id <> new.id OR old.serial <> new.serial OR old.active <> new.active
  OR old.lang <> new.lang OR old.revoked_at IS NOT new.revoked_at
BEGIN
  UPDATE till_revisions SET revision = revision + 1
  WHERE bucket IN (SELECT store_number & 255 FROM device_stores WHERE device_number IN (old.number, new.number));
END;
--> statement-breakpoint
CREATE TRIGGER tills_speaker_replaced BEFORE INSERT ON devices
BEGIN
  UPDATE till_revisions SET revision = revision + 1
  WHERE bucket IN (
    SELECT store_number & 255 FROM device_stores
    WHERE device_number IN (
      SELECT number FROM devices WHERE number = new.number OR id = new.id OR serial = new.serial
    )
  );
END;
