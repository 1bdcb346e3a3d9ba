-- Reads all rows, while hubs go on.
ALTER TABLE payments VALIDATE CONSTRAINT payments_below;
ALTER TABLE announcements VALIDATE CONSTRAINT announcements_below;
ALTER TABLE events VALIDATE CONSTRAINT events_below;
