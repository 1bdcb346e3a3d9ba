-- Reads all rows, while hubs go on.
ALTER TABLE announcements VALIDATE CONSTRAINT announcements_stage_check;
ALTER TABLE announcements VALIDATE CONSTRAINT announcements_check;
