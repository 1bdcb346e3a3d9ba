-- The events of partners (server/events/ports.ts). Each is written in the commit of its fact.
--  - seq: follows the clock, in microseconds, and rises by partner. Why: it rises also after a restore from an older backup,
--    and tells a partner nothing of the others.
--  - subject: the number of the payment or of the announcement whose columns are the event's data.
--  - data: JSON, where no row has the data.
-- A partner's events lie side by side: a payment writes the page that the last one of the partner has written.
CREATE TABLE events (
  client_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject INTEGER,
  data TEXT,
  PRIMARY KEY (client_id, seq)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The highest seq of a partner's deleted events.
CREATE TABLE deleted_events (
  client_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- What the partner of a device was last told of it. A device that a partner registered before this table has no row.
CREATE TABLE device_told (
  device_number INTEGER PRIMARY KEY NOT NULL REFERENCES devices (number),
  is_online INTEGER NOT NULL CHECK (is_online IN (0, 1)),
  is_battery_low INTEGER NOT NULL DEFAULT 0 CHECK (is_battery_low IN (0, 1))
) STRICT;
--> statement-breakpoint
-- Triggers, so that no act can forget an event. A migration that replaces one of these two tables makes them anew.
CREATE TRIGGER payment_recorded AFTER INSERT ON payments BEGIN
  INSERT INTO events (client_id, seq, at, type, subject)
  SELECT new.client_id, max(new.received_at * 1000, 1 + coalesce(
    (SELECT max(seq) FROM events WHERE client_id = new.client_id),
    (SELECT seq FROM deleted_events WHERE client_id = new.client_id), 0
  )), new.received_at, 'payment.recorded', new.number;
  INSERT INTO events (client_id, seq, at, type, subject)
  SELECT new.client_id, 1 + (SELECT max(seq) FROM events WHERE client_id = new.client_id),
    new.received_at, 'bill.paid', new.number
  WHERE new.outcome = 'bill_paid';
END;
--> statement-breakpoint
CREATE TRIGGER announcement_ended AFTER UPDATE OF stage ON announcements
WHEN new.stage IN ('played', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage BEGIN
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
-- For a locked speaker.
CREATE TRIGGER announcement_suppressed AFTER INSERT ON announcements WHEN new.stage = 'suppressed' BEGIN
  INSERT INTO events (client_id, seq, at, type, subject)
  SELECT p.client_id, max(new.suppressed_at * 1000, 1 + coalesce(
    (SELECT max(seq) FROM events WHERE client_id = p.client_id),
    (SELECT seq FROM deleted_events WHERE client_id = p.client_id), 0
  )), new.suppressed_at, 'announcement.suppressed', new.number
  FROM payments p WHERE p.number = new.payment_number;
END;
