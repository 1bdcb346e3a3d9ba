-- The events of partners: names and meanings are those of SQLite's tables.
CREATE TABLE events (
  client_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  subject bigint,
  data text COLLATE "C",
  PRIMARY KEY (client_id, seq)
);
CREATE TABLE deleted_events (
  client_id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL
);
CREATE TABLE device_told (
  device_number bigint PRIMARY KEY REFERENCES devices (number),
  is_online boolean NOT NULL,
  is_battery_low boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
-- An event of a fact, in the commit of the fact. It has no seq yet: numbers that are drawn before a commit become visible
-- in another order than they were drawn, and a reader would pass over the lower one.
-- The table is almost empty, and its old rows lie before its new ones: vacuumed often, they cost nothing.
CREATE TABLE event_queue (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  subject bigint,
  data text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- One row. Who gives seqs holds it until the commit: server/storage/postgres/acts/event-numbers.ts.
CREATE TABLE event_sequence (last bigint NOT NULL);
INSERT INTO event_sequence VALUES (0);
-- Triggers, so that no act and no hub of the release before can forget an event. An import brings its own events.
CREATE FUNCTION payments_recorded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_queue (client_id, at, type, subject)
  SELECT p.client_id, p.received_at, t.type, p.number
  FROM added p CROSS JOIN (VALUES (1, 'payment.recorded'), (2, 'bill.paid')) AS t (place, type)
  WHERE t.place = 1 OR p.outcome = 'bill_paid'
  ORDER BY p.number, t.place;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_recorded AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  WHEN (current_setting('hub.importing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION payments_recorded();
CREATE FUNCTION announcement_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_queue (client_id, at, type, subject)
  SELECT client_id, coalesce(new.played_at, new.failed_at, new.expired_at, new.suppressed_at),
    CASE new.stage WHEN 'expired' THEN 'announcement.missed' ELSE 'announcement.' || new.stage END, new.number
  FROM payments WHERE number = new.payment_number;
  RETURN NULL;
END $$;
-- For each row: a stage that is not final costs nothing then.
CREATE TRIGGER announcement_ended AFTER UPDATE ON announcements FOR EACH ROW
  WHEN (new.stage IN ('played', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage)
  EXECUTE FUNCTION announcement_ended();
CREATE TRIGGER announcement_suppressed AFTER INSERT ON announcements FOR EACH ROW
  WHEN (new.stage = 'suppressed' AND current_setting('hub.importing', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION announcement_ended();
