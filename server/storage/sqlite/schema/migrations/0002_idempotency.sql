CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY NOT NULL,
  sealed BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
