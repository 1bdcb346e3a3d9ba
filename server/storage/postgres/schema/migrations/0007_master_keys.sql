-- Earlier master keys, by the ids in the headers of sealed values. Hubs seal under the key of the canary.
--  - until: when it stopped to seal,
--  - given_up_at: since when no row is sealed under it. Until then no hub starts without it.
CREATE TABLE previous_master_keys (
  id text COLLATE "C" PRIMARY KEY,
  until bigint NOT NULL,
  given_up_at bigint
);
-- The ids of the master keys that a hub has. A hub of an earlier release says none.
ALTER TABLE hubs ADD COLUMN key_ids text[] COLLATE "C";
CREATE OR REPLACE VIEW live_hubs AS SELECT * FROM hubs WHERE beat_at > clock_ms() - 5000;
