-- address: where the other hubs reach a hub over HTTP. Empty until it listens, and for a hub of an earlier release.
ALTER TABLE hubs ADD COLUMN address text COLLATE "C" NOT NULL DEFAULT '';
CREATE OR REPLACE VIEW live_hubs AS SELECT * FROM hubs WHERE beat_at > clock_ms() - 5000;
