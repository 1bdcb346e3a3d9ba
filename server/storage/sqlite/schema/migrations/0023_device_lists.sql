-- Finds the few devices that are revoked, locked, or low on battery, and the audit rows of one device. No payment writes
-- to these.
CREATE INDEX devices_revoked ON devices (number) WHERE revoked_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX devices_locked ON devices (number) WHERE NOT active;
--> statement-breakpoint
CREATE INDEX device_health_by_battery ON device_health (battery);
--> statement-breakpoint
CREATE INDEX audit_by_subject ON audit (subject);
