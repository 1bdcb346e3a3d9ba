-- Notices of missed payments that a device has shown, while announcements are still to be marked page by page: see
-- server/storage/sqlite/acts/outbox/missed.ts. A row goes with its last page.
CREATE TABLE missed_marks (
  number INTEGER PRIMARY KEY NOT NULL,
  device_number INTEGER NOT NULL,
  up_to INTEGER NOT NULL,
  excepted TEXT NOT NULL,
  shown_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX missed_marks_by_device ON missed_marks (device_number);
