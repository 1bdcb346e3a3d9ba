-- Three tables become partition 0 of a table of their name, with the indexes that they have: no row is read or written.
-- In this order, as acts lock them.
LOCK TABLE payments, announcements, events IN ACCESS EXCLUSIVE MODE;
-- The partitioned tables have the triggers, and with them each partition.
DROP TRIGGER payments_recorded ON payments;
DROP TRIGGER announcement_ended ON announcements;
DROP TRIGGER announcement_suppressed ON announcements;
DROP TRIGGER announcements_opened ON announcements;
DROP TRIGGER announcement_closed ON announcements;
DROP TRIGGER announcement_renumbered ON announcements;
-- A partition has no identity of its own.
ALTER SEQUENCE announcements_number_seq RENAME TO announcements_0_number_seq;
CREATE SEQUENCE announcements_number_seq;
SELECT setval('announcements_number_seq', last_value, is_called) FROM announcements_0_number_seq;
ALTER TABLE payments ALTER number DROP IDENTITY;
ALTER TABLE announcements ALTER number DROP IDENTITY;
ALTER TABLE payments RENAME TO payments_0;
ALTER TABLE announcements RENAME TO announcements_0;
ALTER TABLE events RENAME TO events_0;
-- What a table of the name has as a constraint or an index, the partitioned one has under the same name.
ALTER TABLE payments_0 RENAME CONSTRAINT payments_pkey TO payments_0_pkey;
ALTER TABLE announcements_0 RENAME CONSTRAINT announcements_pkey TO announcements_0_pkey;
-- The key of the partitions would have to be in it. Each partition has one of its own: ids are not given twice.
ALTER TABLE announcements_0 RENAME CONSTRAINT announcements_id_key TO announcements_0_id_key;
ALTER TABLE events_0 RENAME CONSTRAINT events_pkey TO events_0_pkey;
ALTER INDEX payments_by_client RENAME TO payments_0_by_client;
ALTER INDEX payments_by_store RENAME TO payments_0_by_store;
ALTER INDEX payments_by_terminal RENAME TO payments_0_by_terminal;
ALTER INDEX payments_by_trace RENAME TO payments_0_by_trace;
ALTER INDEX payments_by_bill RENAME TO payments_0_by_bill;
ALTER INDEX payments_by_id RENAME TO payments_0_by_id;
ALTER INDEX announcements_by_payment RENAME TO announcements_0_by_payment;
ALTER INDEX announcements_missed RENAME TO announcements_0_missed;
ALTER INDEX announcements_failed RENAME TO announcements_0_failed;
ALTER INDEX announcements_expired RENAME TO announcements_0_expired;
ALTER INDEX announcements_suppressed RENAME TO announcements_0_suppressed;
CREATE TABLE payments (LIKE payments_0 INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (number);
CREATE TABLE announcements (LIKE announcements_0 INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (number);
CREATE TABLE events (LIKE events_0 INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (seq);
ALTER TABLE payments DROP CONSTRAINT payments_below;
ALTER TABLE announcements DROP CONSTRAINT announcements_below;
ALTER TABLE events DROP CONSTRAINT events_below;
ALTER TABLE payments ADD PRIMARY KEY (number), ALTER number SET DEFAULT nextval('payments_number_seq');
ALTER TABLE announcements ADD PRIMARY KEY (number), ALTER number SET DEFAULT nextval('announcements_number_seq');
ALTER SEQUENCE payments_number_seq OWNED BY payments.number;
ALTER SEQUENCE announcements_number_seq OWNED BY announcements.number;
ALTER TABLE events ADD PRIMARY KEY (client_id, seq);
CREATE INDEX payments_by_client ON payments (client_id, number);
CREATE INDEX payments_by_store ON payments (store_id, number);
CREATE INDEX payments_by_terminal ON payments (terminal_id, number);
CREATE INDEX payments_by_trace ON payments (trace_transfer, number) WHERE trace_transfer <> '';
CREATE INDEX payments_by_bill ON payments (bill_number, number) WHERE bill_number <> '';
CREATE INDEX payments_by_id ON payments (id);
CREATE INDEX announcements_by_payment ON announcements (payment_number);
CREATE INDEX announcements_missed ON announcements (device_number)
  WHERE (expired_at IS NOT NULL OR failed_at IS NOT NULL) AND missed_shown_at IS NULL;
CREATE INDEX announcements_failed ON announcements (payment_number) WHERE failed_at IS NOT NULL;
CREATE INDEX announcements_expired ON announcements (payment_number) WHERE expired_at IS NOT NULL;
CREATE INDEX announcements_suppressed ON announcements (payment_number) WHERE suppressed_at IS NOT NULL;
ALTER TABLE payments ATTACH PARTITION payments_0 FOR VALUES FROM (MINVALUE) TO (10000000000);
ALTER TABLE announcements ATTACH PARTITION announcements_0 FOR VALUES FROM (MINVALUE) TO (10000000000);
DO $$
DECLARE
  x bigint := (SELECT least FROM partitions WHERE series = 'events' AND number = 1);
BEGIN
  EXECUTE format('ALTER TABLE events ATTACH PARTITION events_0 FOR VALUES FROM (MINVALUE) TO (%s)', x);
  EXECUTE format('CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM (%s) TO (MAXVALUE)', x);
END $$;
CREATE TABLE payments_1 PARTITION OF payments FOR VALUES FROM (10000000000) TO (20000000000);
CREATE TABLE announcements_1 PARTITION OF announcements FOR VALUES FROM (10000000000) TO (20000000000)
  WITH (fillfactor = 80);
CREATE UNIQUE INDEX announcements_1_id_key ON announcements_1 (id);
CREATE TRIGGER payments_recorded AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  WHEN (current_setting('hub.importing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION payments_recorded();
CREATE TRIGGER announcement_ended AFTER UPDATE ON announcements FOR EACH ROW
  WHEN (new.stage IN ('played', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage)
  EXECUTE FUNCTION announcement_ended();
CREATE TRIGGER announcement_suppressed AFTER INSERT ON announcements FOR EACH ROW
  WHEN (new.stage = 'suppressed' AND current_setting('hub.importing', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION announcement_ended();
CREATE TRIGGER announcements_opened AFTER INSERT ON announcements REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION announcements_opened();
CREATE TRIGGER announcement_closed AFTER UPDATE ON announcements FOR EACH ROW
  WHEN (new.stage IN ('played', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage)
  EXECUTE FUNCTION announcement_closed();
CREATE TRIGGER announcement_renumbered AFTER UPDATE OF n, expires_at ON announcements FOR EACH ROW
  EXECUTE FUNCTION announcement_renumbered();
