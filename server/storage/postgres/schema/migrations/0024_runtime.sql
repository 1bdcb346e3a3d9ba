-- What a device says of its start and its connections, and whether it is being charged.
ALTER TABLE device_health ADD COLUMN IF NOT EXISTS charging integer, ADD COLUMN IF NOT EXISTS runtime jsonb;
