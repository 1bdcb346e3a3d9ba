-- The newest that a device has reported of itself, and when its connection last ended. A table of its own: reports of
-- ten thousand devices would write the wide rows of devices again and again.
CREATE TABLE device_health (
  device_number INTEGER PRIMARY KEY NOT NULL REFERENCES devices (number),
  battery INTEGER,
  signal INTEGER,
  volume INTEGER,
  queue INTEGER,
  reported_at INTEGER,
  left_at INTEGER
) STRICT;
