-- Speakers of other makers.
-- An announcement has one stage more, `delivered`, whose time stands in played_at. Nothing in the file changes but the text
-- of two checks (see 0007).
PRAGMA writable_schema = ON;
--> statement-breakpoint
UPDATE sqlite_schema
SET sql = replace(
  replace(sql, '''played'', ''failed'', ''expired''', '''played'', ''delivered'', ''failed'', ''expired'''),
  '(stage = ''played'') = (played_at', '(stage IN (''played'', ''delivered'')) = (played_at'
)
WHERE type = 'table' AND name = 'announcements';
--> statement-breakpoint
PRAGMA writable_schema = RESET;
--> statement-breakpoint
-- What a speaker of another maker has proven of the sound, and whether it was sent a second time: 0 to one that knows what
-- it has had, 1 to one that may say it again.
ALTER TABLE announcements ADD COLUMN proof TEXT;
--> statement-breakpoint
ALTER TABLE announcements ADD COLUMN may_repeat INTEGER;
--> statement-breakpoint
-- A trigger of this table, with the new stage.
DROP TRIGGER announcement_ended;
--> statement-breakpoint
CREATE TRIGGER announcement_ended AFTER UPDATE OF stage ON announcements
WHEN new.stage IN ('played', 'delivered', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage BEGIN
  INSERT INTO events (client_id, seq, at, type, subject)
  SELECT p.client_id,
    max(coalesce(new.played_at, new.failed_at, new.expired_at, new.suppressed_at) * 1000, 1 + coalesce(
      (SELECT max(seq) FROM events WHERE client_id = p.client_id),
      (SELECT seq FROM deleted_events WHERE client_id = p.client_id), 0
    )),
    coalesce(new.played_at, new.failed_at, new.expired_at, new.suppressed_at),
    CASE new.stage WHEN 'expired' THEN 'announcement.missed' ELSE 'announcement.' || new.stage END, new.number
  FROM payments p WHERE p.number = new.payment_number;
END;
--> statement-breakpoint
-- How the hub speaks with a device, and the name under which a speaker of another maker connects. The hash of the label is
-- keyed with the device's own key.
ALTER TABLE devices ADD COLUMN dialect TEXT NOT NULL DEFAULT 'sb/1';
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN profile TEXT;
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN wire_id TEXT;
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN label_hash BLOB;
--> statement-breakpoint
CREATE UNIQUE INDEX devices_by_wire_id ON devices (wire_id) WHERE wire_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX devices_by_dialect ON devices (dialect) WHERE dialect <> 'sb/1';
--> statement-breakpoint
-- Profiles that do not ship with the hub. document: JSON.
CREATE TABLE profiles (
  name TEXT PRIMARY KEY NOT NULL,
  document TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- Amounts from the keypads of devices, each once by the id of its request. store_id: the shop whose bill the hub has made of
-- it; NULL when the partner was asked by an event.
CREATE TABLE keyed_amounts (
  device_number INTEGER NOT NULL REFERENCES devices (number),
  request_id TEXT NOT NULL,
  keyed_id TEXT NOT NULL,
  store_id TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (device_number, request_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE payment_sums ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
