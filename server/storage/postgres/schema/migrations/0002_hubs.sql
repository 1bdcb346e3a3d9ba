-- PostgreSQL's clock in milliseconds, which all hubs go by.
CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
-- The hubs on this database. Each stores a beat every second.
--  - id: new at each start of a hub,
--  - clock_ahead_ms: how far the clock of its machine is ahead of PostgreSQL's.
CREATE TABLE hubs (
  id text COLLATE "C" PRIMARY KEY,
  host text COLLATE "C" NOT NULL,
  pid integer NOT NULL,
  version text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  beat_at bigint NOT NULL,
  clock_ahead_ms bigint NOT NULL
) WITH (fillfactor = 50);
-- The hubs that run: a hub is gone five seconds after its last beat.
CREATE VIEW live_hubs AS SELECT * FROM hubs WHERE beat_at > clock_ms() - 5000;
-- A task that one hub carries out for all. A crash of PostgreSQL empties the table: another hub may be the next one.
CREATE UNLOGGED TABLE leases (
  task text COLLATE "C" PRIMARY KEY,
  hub text COLLATE "C" NOT NULL,
  until bigint NOT NULL
);
-- The hub of the session that owns the device.
ALTER TABLE device_state ADD COLUMN hub text COLLATE "C";
