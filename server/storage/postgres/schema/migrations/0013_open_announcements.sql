-- Nothing moves between the copy of what is open and the triggers that keep it.
LOCK TABLE announcements IN SHARE ROW EXCLUSIVE MODE;
-- The announcements that are open, for whoever looks for them by device or by time. Why a table: PostgreSQL writes a row into
-- all indexes of its table anew when an indexed column changes, or a column in the condition of an index. No index of
-- announcements knows a stage that most of them reach, so that a stage writes one row and no index (a HOT update).
-- The table is almost empty, and its old rows lie before its new ones: vacuumed often, they cost nothing.
CREATE TABLE open_announcements (
  number bigint NOT NULL,
  device_number bigint NOT NULL,
  n bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (device_number, n)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX open_announcements_due ON open_announcements (expires_at);
INSERT INTO open_announcements
SELECT number, device_number, n, expires_at FROM announcements
WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
-- Triggers, so that no act, no import and no hub of the release before can forget a row.
CREATE FUNCTION announcements_opened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO open_announcements
  SELECT number, device_number, n, expires_at FROM added
  WHERE played_at IS NULL AND failed_at IS NULL AND expired_at IS NULL AND suppressed_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER announcements_opened AFTER INSERT ON announcements REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION announcements_opened();
CREATE FUNCTION announcement_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM open_announcements WHERE (device_number, n, number) = (old.device_number, old.n, old.number);
  RETURN NULL;
END $$;
-- For each row: a stage that is not final costs nothing then.
CREATE TRIGGER announcement_closed AFTER UPDATE ON announcements FOR EACH ROW
  WHEN (new.stage IN ('played', 'failed', 'expired', 'suppressed') AND old.stage <> new.stage)
  EXECUTE FUNCTION announcement_closed();
CREATE FUNCTION announcement_renumbered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE open_announcements SET n = new.n, expires_at = new.expires_at
  WHERE (device_number, n, number) = (old.device_number, old.n, old.number);
  RETURN NULL;
END $$;
CREATE TRIGGER announcement_renumbered AFTER UPDATE OF n, expires_at ON announcements FOR EACH ROW
  EXECUTE FUNCTION announcement_renumbered();
-- Payments that a speaker has not said, by why. Who has many payments has built these indexes before.
CREATE INDEX IF NOT EXISTS announcements_failed ON announcements (payment_number) WHERE failed_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS announcements_expired ON announcements (payment_number) WHERE expired_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS announcements_suppressed ON announcements (payment_number) WHERE suppressed_at IS NOT NULL;
-- Which schema each hub knows. NULL: an earlier one than this.
ALTER TABLE hubs ADD COLUMN schema integer;
-- Up to which version everything is gone that only hubs of earlier ones need.
ALTER TABLE schema ADD COLUMN contracted integer NOT NULL DEFAULT 0;
