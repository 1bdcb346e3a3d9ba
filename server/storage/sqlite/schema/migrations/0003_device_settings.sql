ALTER TABLE devices RENAME COLUMN settings TO reported_settings;
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN desired_settings TEXT;
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN settings_due INTEGER NOT NULL DEFAULT 0 CHECK (settings_due IN (0, 1));
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN languages TEXT NOT NULL DEFAULT '';
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN identify_asked_at INTEGER;
--> statement-breakpoint
ALTER TABLE devices ADD COLUMN identified_at INTEGER;
--> statement-breakpoint
CREATE INDEX devices_settings_due ON devices (id) WHERE settings_due = 1;
--> statement-breakpoint
CREATE INDEX devices_identify_asked ON devices (id) WHERE identify_asked_at IS NOT NULL;
