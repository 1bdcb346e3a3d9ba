-- The partitions of tables that grow with time. Retention drops a partition when all of it is old, and makes later ones
-- ahead: server/storage/postgres/partitions.
--  - series: payments (with announcements) by their numbers, events by their seqs,
--  - number: 0 has the rows from before there were partitions,
--  - least: the lowest number or seq of the partition,
--  - is_whole: it is dropped as a whole. Otherwise its old rows are deleted one by one, because it has young rows, too, or many
--    that have to stay. Those that outlive a partition move to the newest one of this kind, which has the numbers before it,
--  - begun_at: since when new rows go there. NULL: they do not yet,
--  - copied_to: of payments, up to which number retention has noted what a repeat is known by.
CREATE TABLE partitions (
  series text COLLATE "C" NOT NULL CHECK (series IN ('payments', 'events')),
  number integer NOT NULL,
  least bigint NOT NULL,
  is_whole boolean NOT NULL,
  begun_at bigint,
  copied_to bigint NOT NULL,
  PRIMARY KEY (series, number)
);
-- Events go by their seqs, microseconds, so their first partition begins at a time: a day ahead, after this is all done.
INSERT INTO partitions (series, number, least, is_whole, begun_at, copied_to) VALUES
  ('payments', 0, 0, false, clock_ms(), 0), ('payments', 1, 10000000000, true, NULL, 0),
  ('events', 0, 0, false, 0, 0),
  ('events', 1, (clock_ms() + 86400000) * 1000, true, clock_ms() + 86400000, 0);
-- What is there fits below the first partition. Checked by the next migration, which locks nobody out.
ALTER TABLE payments ADD CONSTRAINT payments_below CHECK (number < 10000000000) NOT VALID;
ALTER TABLE announcements ADD CONSTRAINT announcements_below CHECK (number < 10000000000) NOT VALID;
DO $$ BEGIN
  EXECUTE format('ALTER TABLE events ADD CONSTRAINT events_below CHECK (seq < %s) NOT VALID',
    (SELECT least FROM partitions WHERE series = 'events' AND number = 1));
END $$;
-- The table's own sequence goes with it when it becomes a partition (0016). From here on hubs draw from another one of the name:
-- a hub that draws while its sequence is dropped would refuse a payment. One that draws from the old one at this moment gets a
-- number from the gap.
ALTER SEQUENCE payments_number_seq RENAME TO payments_0_number_seq;
CREATE SEQUENCE payments_number_seq;
SELECT setval('payments_number_seq', last_value + 1000000) FROM payments_0_number_seq WHERE is_called;
