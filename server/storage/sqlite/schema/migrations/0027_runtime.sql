-- What a device says of its start and its connections (JSON), and whether it is being charged.
ALTER TABLE device_health ADD COLUMN charging INTEGER;
--> statement-breakpoint
ALTER TABLE device_health ADD COLUMN runtime TEXT;
