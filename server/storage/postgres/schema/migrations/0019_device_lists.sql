-- Finds the few devices that are revoked, locked, or low on battery, and the audit rows of one device. No payment writes
-- to these.
CREATE INDEX IF NOT EXISTS devices_revoked ON devices (number) WHERE revoked_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS devices_locked ON devices (number) WHERE NOT active;
CREATE INDEX IF NOT EXISTS device_health_by_battery ON device_health (battery);
CREATE INDEX IF NOT EXISTS audit_by_subject ON audit (subject, id);
