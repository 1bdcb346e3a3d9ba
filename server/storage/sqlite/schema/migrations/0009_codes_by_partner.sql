-- Codes and their quota belong to a partner: nobody ends another's code for a free device, or uses up its quota.
DROP INDEX verification_codes_outstanding;
--> statement-breakpoint
CREATE UNIQUE INDEX verification_codes_outstanding ON verification_codes (device_id, client_id) WHERE state = 'outstanding';
--> statement-breakpoint
ALTER TABLE verification_quotas RENAME TO verification_quotas_of_devices;
--> statement-breakpoint
CREATE TABLE verification_quotas (
  device_id TEXT NOT NULL REFERENCES devices (id),
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  period_started_at INTEGER NOT NULL,
  issued INTEGER NOT NULL,
  PRIMARY KEY (device_id, client_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO verification_quotas (device_id, client_id, period_started_at, issued)
SELECT q.device_id, c.client_id, q.period_started_at, count(*)
FROM verification_quotas_of_devices q
JOIN verification_codes c ON c.device_id = q.device_id AND c.issued_at >= q.period_started_at
GROUP BY q.device_id, c.client_id;
--> statement-breakpoint
DROP TABLE verification_quotas_of_devices;
