-- The session that owns the device, from its birth to its end: server/storage/sqlite/rows/owners.ts.
ALTER TABLE devices ADD COLUMN session_id TEXT;
