-- The session that owns the device, from its birth to its end: server/storage/acts/outbox/device-states.ts.
ALTER TABLE devices ADD COLUMN session_id TEXT;
