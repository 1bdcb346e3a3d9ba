-- The next key of a device, until a birth under it: server/storage/sqlite/acts/maintenance-records.ts. `id` is the
-- device's.
CREATE TABLE device_rekeys (
  id TEXT PRIMARY KEY NOT NULL REFERENCES devices (id),
  key BLOB NOT NULL,
  login_hash BLOB NOT NULL,
  since INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- The firmware that is offered to a device.
CREATE TABLE device_offers (
  id TEXT PRIMARY KEY NOT NULL REFERENCES devices (id),
  offer TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- What the device can do besides speaking and showing, as its last birth said.
ALTER TABLE devices ADD COLUMN caps TEXT NOT NULL DEFAULT '';
--> statement-breakpoint
-- What the device has last said of an offer, as JSON.
ALTER TABLE device_health ADD COLUMN update_progress TEXT;
